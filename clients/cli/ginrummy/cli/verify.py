"""`verify`: were the cards of a finished match dealt as its commitment promised?"""

from __future__ import annotations

from ginrummy.cli.audit import Audit, audit
from ginrummy.cli.connect import connected
from ginrummy.cli.faults import CommandError
from ginrummy.cli.run import Run
from ginrummy.client import match_name
from ginrummy.v1.match_pb2 import MATCH_STATE_ABORTED, MATCH_STATE_FINISHED, Match


async def verify(run: Run, name: str) -> bool:
    """Tells what was checked; whether all of it was right."""
    name = match_name(name)
    async with connected(run.server, run.seats, name, access=run.access) as server:
        match = await server.client.get_match(name)
        if match.state not in (MATCH_STATE_FINISHED, MATCH_STATE_ABORTED):
            raise CommandError("not-finished", match=name)
        events = [event async for event in server.client.match_events(name)]
    saved = run.seats.of_match(name)
    found = audit(match, events, bytes.fromhex(saved.commitment) if saved else b"")
    _tell(run, match, found)
    return found.ok


def _tell(run: Run, match: Match, found: Audit) -> None:
    output, words = run.output, run.words
    if output.json:
        output.record(
            match=match.name,
            ok=found.ok,
            seed=found.seed.hex(),
            commitment=match.deal_commitment.hex(),
            hands=found.hands,
            stock_draws=found.stock_draws,
            findings=[vars(finding) for finding in found.findings],
        )
        return
    output.line(words("verify-seed", seed=found.seed.hex()))
    output.line(words("verify-published", commitment=match.deal_commitment.hex()))
    for finding in found.findings:
        mark, style = (words("verify-ok"), "good") if finding.ok else (words("verify-bad"), "warn")
        output.line(f"  {mark}  {words(finding.what, hand=finding.hand_number)}", style)
    draws = words("verify-draws", count=found.stock_draws)
    output.line(f"  {words('verify-ok') if found.ok else words('verify-bad')}  {draws}")
    output.line()
    output.line(words("verify-all-right" if found.ok else "verify-wrong"), "title")
