"""The accounts of a run: what was asked, answered and shown, against what is stored.

Every difference is told as a sentence. No sentence means that nothing was lost.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ginrummy import engine
from ginrummy.client import GinRummyClient, GinRummyError
from ginrummy.log import Entry, Json
from ginrummy.server.convert.events import match_result_to_wire
from ginrummy.tables.events import TABLE_EVENTS, Recorded, from_log
from ginrummy.v1.events_pb2 import MatchEvent
from ginrummy.v1.match_pb2 import Match, MatchState

from ..shown import as_sent
from .record import Asked, Record, Sighting
from .stored import Disagreement, Replay, StoredEntry, StoredFile, read_file

PILE_CARDS = {"hand_dealt": "upcard", "card_drawn": "card", "card_discarded": "card"}
"""What a pile that shows its top only keeps from those who come later."""
CARDS = "A23456789TJQK"
ENDED = (MatchState.MATCH_STATE_FINISHED, MatchState.MATCH_STATE_ABORTED)


@dataclass
class Told:
    """What the API says of an ended match."""

    match: Match
    events: list[MatchEvent]
    token_troubles: list[str]


async def ask_api(client: GinRummyClient, record: Record) -> dict[str, Told]:
    """Everything that the API says of the matches of a run, which have ended."""
    told: dict[str, Told] = {}
    for match_id, holder in record.matches.items():
        match = await client.get_match(holder.name)
        events = [event async for event in client.match_events(holder.name)]
        troubles = []
        for role, token in [(0, holder.host_token), *holder.seat_tokens.items()]:
            try:
                view = await client.seat(holder.name, token).view()
            except GinRummyError as error:
                troubles.append(f"the token of {role or 'the host'} is refused: {error.reason}")
            else:
                if view.result != match.result or view.viewer_seat != role:
                    troubles.append(f"the token of {role or 'the host'} shows another result")
        told[match_id] = Told(match, events, troubles)
    return told


def differences(record: Record, file: Path, told: dict[str, Told] | None = None) -> list[str]:
    """Everything in which the file, and the API, differ from what clients were told."""
    stored = read_file(file)
    found = [f"the file is damaged: {finding}" for finding in stored.findings]
    found += record.troubles
    found += _requests_and_entries(record, stored)
    for match_id in sorted(record.matches.keys() | stored.entries.keys()):
        if not stored.entries[match_id]:
            found.append(f"{match_id}: the match is not stored")
            continue
        try:
            account = MatchAccount(match_id, record, stored)
        except Disagreement as error:
            found.append(f"{match_id}: {error}")
            continue
        found += [f"{match_id}: {each}" for each in account.differences(told)]
    return found


def _requests_and_entries(record: Record, stored: StoredFile) -> Iterator[str]:
    """Every answered request is stored once, every refused one not at all, and no other is."""
    by_request: dict[str, list[StoredEntry]] = {}
    for entries in stored.entries.values():
        for entry in entries:
            if entry.request_id is not None:
                by_request.setdefault(entry.request_id, []).append(entry)
            elif not _comes_of_itself(entry, entries):
                yield f"{entry.match_id}: nobody asked for the entry at {entry.first}"
    for request_id in by_request.keys() - record.asked.keys():
        yield f"nobody has sent the stored request {request_id}"
    for asked in record.asked.values():
        entries = by_request.get(asked.request_id, [])
        where = f"{asked.match_id}: request {asked.request_id} ({asked.kind})"
        if len(entries) > 1:
            yield f"{where} is stored {len(entries)} times"
        elif asked.is_answered and not entries:
            yield f"{where} was answered and is not stored"
        elif asked.refusal and entries:
            yield f"{where} was refused ({asked.refusal}) and is stored"
        elif entries:
            yield from (f"{where} {difference}" for difference in _unlike(asked, entries[0]))


def _comes_of_itself(entry: StoredEntry, entries: list[StoredEntry]) -> bool:
    """Whether a clock or a bot caused it."""
    command = entry.command
    if command["type"] == "act":
        seats = entries[0].command["setup"]["seats"]
        return bool(seats[command["seat"] - 1]["kind"] == "bot")
    return command["type"] in ("time_out", "extend_clock")


def _unlike(asked: Asked, entry: StoredEntry) -> Iterator[str]:
    command = entry.command
    if asked.match_id and asked.match_id != entry.match_id:
        yield f"is stored in match {entry.match_id}"
    if command["type"] != asked.kind or command.get("seat", 0) != asked.seat:
        yield "is stored as another command"
    if asked.action is not None and command.get("action") != asked.action:
        yield "is stored as another action"
    if asked.is_answered and asked.last is not None and asked.last != entry.last:
        yield f"was answered with event {asked.last}, and stored with {entry.last}"
    if asked.events and [e.sequence for e in asked.events] != [*range(entry.first, entry.last + 1)]:
        yield "was answered with other event numbers than those stored"


class MatchAccount:
    """One match: its entries against its row, its replay, its watchers and the API."""

    def __init__(self, match_id: str, record: Record, stored: StoredFile) -> None:
        self._entries = stored.entries[match_id]
        self._row = stored.rows.get(match_id)
        self._match_id = match_id
        self._record = record
        head = 0
        for entry in self._entries:
            if entry.first != head + 1 or len(entry.events) != entry.last - entry.first + 1:
                raise Disagreement(f"after event {head} comes the entry of {entry.first}")
            head = entry.last
        self._replay = Replay(self._entries)
        self._events = list(_numbered(self._entries))

    def differences(self, told: dict[str, Told] | None) -> Iterator[str]:
        """Every difference, as a sentence."""
        yield from self._row_differences()
        for sighting in self._record.sightings:
            if sighting.match_id == self._match_id:
                for difference in self._unlike_seen(sighting):
                    yield f"{sighting.who} as {sighting.viewer}: {difference}"
        for asked in self._record.asked.values():
            if asked.match_id == self._match_id:
                for event in asked.events:
                    if not self._is_shown_as(event, asked.seat):
                        yield f"event {event.sequence} was answered otherwise than stored"
        if told is not None:
            yield from self._unlike_told(told.get(self._match_id))

    def _row_differences(self) -> Iterator[str]:
        if self._row is None:
            yield "there is no index row"
            return
        if self._row["head"] != self._entries[-1].last:
            yield f"the index row stands at {self._row['head']}, not at {self._entries[-1].last}"
        if self._row["summary"]["result"] != self._result():
            yield "the index row tells another result"

    def _result(self) -> dict[str, Any] | None:
        """As the replay gives it."""
        last = self._events[-1].event
        if last["type"] != "match_ended":
            return None
        return {key: value for key, value in last.items() if key != "type"}

    def _unlike_seen(self, sighting: Sighting) -> Iterator[str]:
        numbers = [event.sequence for event in sighting.events]
        if numbers and numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            yield "events were skipped or came twice"
        for event in sighting.events:
            if event.sequence > len(self._events):
                yield f"event {event.sequence} was shown and is not stored"
            elif not self._is_shown_as(event, sighting.viewer):
                yield f"event {event.sequence} was shown otherwise than stored"
        if self._result() is not None and numbers and numbers[-1] != len(self._events):
            yield f"nothing was shown after event {numbers[-1]} of {len(self._events)}"
        for view in sighting.views:
            game = self._replay.games.get(view.sequence)
            if not any(entry.last == view.sequence for entry in self._entries):
                yield f"a view of {view.sequence} was shown, where no entry ends"
            elif game is not None and sighting.viewer:
                hand = game.view(sighting.viewer).get("own_hand") or []
                if list(map(_card_name, view.own_hand)) != hand:
                    yield f"the view of {view.sequence} showed another hand"

    def _is_shown_as(self, event: MatchEvent, viewer: int) -> bool:
        """Whether this is how the viewer may see the stored event of that number."""
        if event.sequence > len(self._events):
            return False
        recorded = self._events[event.sequence - 1]
        shown = as_sent(self._seen(recorded, viewer))
        if event == shown:
            return True
        kind = event.WhichOneof("payload")
        if self._replay.setup["rules"]["pile_view"] == "all" or kind not in PILE_CARDS:
            return False
        getattr(shown, kind).ClearField(PILE_CARDS[kind])
        return bool(event == shown)

    def _seen(self, recorded: Recorded, viewer: int) -> Recorded:
        event: Any = recorded.event
        if event["type"] not in TABLE_EVENTS:
            face_down = self._replay.setup["rules"]["knock_card_face_down"]
            event = engine.seen_by(event, viewer, face_down)
        return Recorded(
            recorded.sequence, recorded.time_us, event, recorded.to_act, recorded.deadline_us
        )

    def _unlike_told(self, told: Told | None) -> Iterator[str]:
        if told is None:
            yield "the API was not asked"
            return
        yield from told.token_troubles
        if told.match.state not in ENDED:
            yield "the match has not ended"
            return
        if told.events != [as_sent(event) for event in self._events]:
            yield "the API tells other events than those stored"
        result: Any = self._result()
        if result is None or told.match.result != match_result_to_wire(result):
            yield "the API tells another result than the recorded actions give"


def _numbered(entries: list[StoredEntry]) -> Iterator[Recorded]:
    for entry in entries:
        stored = from_log(
            Entry(
                match_id=entry.match_id,
                first=entry.first,
                last=entry.last,
                command=Json.of(entry.command),
                events=Json.of(entry.events),
                time_us=entry.time_us,
                rules_version=1,
                request_id=entry.request_id,
            )
        )
        yield from stored.each()


def _card_name(card: int) -> str:
    return CARDS[(card - 1) % 13] + "CDHS"[(card - 1) // 13]
