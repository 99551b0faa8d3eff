"""Watches a match with a seat's token, and says so: `watching_program.py ADDRESS MATCH CALL`.

The token comes on standard input. It never leaves by itself: whoever starts it ends it.
"""

import sys
from collections.abc import Iterable, Iterator
from threading import Event

import grpc

from ginrummy.v1 import match_service_pb2 as pb
from ginrummy.v1.match_service_pb2_grpc import MatchServiceStub


def main(address: str, name: str, call: str) -> None:
    token = sys.stdin.readline().strip()
    metadata = (("authorization", f"Bearer {token}"),)
    stub = MatchServiceStub(grpc.insecure_channel(address))
    watch = pb.WatchMatchRequest(name=name)

    def requests() -> Iterator[pb.PlayRequest]:
        yield pb.PlayRequest(watch=watch)
        Event().wait()

    updates: Iterable[object]
    if call == "WatchMatch":
        updates = stub.WatchMatch(watch, metadata=metadata)
    else:
        updates = stub.Play(requests(), metadata=metadata)
    for _ in updates:
        sys.stdout.write("watching\n")
        sys.stdout.flush()


main(*sys.argv[1:])
