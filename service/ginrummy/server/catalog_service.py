"""CatalogService: what this server offers."""

from importlib.metadata import version

from ginrummy import engine
from ginrummy.engine.types import Overrides, Rules, Ruleset
from ginrummy.server.convert.analysis import MOST_ITEMS
from ginrummy.server.convert.fields import page_size_from_wire
from ginrummy.server.convert.rules import (
    RULESETS,
    clock_to_wire,
    overrides_from_wire,
    resolve,
    rules_to_wire,
    ruleset_from_wire,
)
from ginrummy.server.convert.seats import default_options
from ginrummy.server.convert.times import SECOND_US, duration_to_wire
from ginrummy.server.edge import Context, answered
from ginrummy.server.gate import Gate
from ginrummy.server.offers import BOT_WORDS, RULESET_WORDS, words_for
from ginrummy.server.refusals import BadField
from ginrummy.tables.lifetimes import FOREVER, Lifetimes
from ginrummy.tables.setup import ClockSetup
from ginrummy.tables.thinking import thinks
from ginrummy.v1 import catalog_service_pb2 as pb
from ginrummy.v1 import catalog_service_pb2_grpc as pb_grpc
from ginrummy.v1 import rules_pb2

SERVER_VERSION = version("ginrummy-server")


class CatalogService(pb_grpc.CatalogServiceServicer):
    """What this server offers. The answers stay the same while it runs."""

    def __init__(self, gate: Gate, *, seeds_allowed: bool, lifetimes: Lifetimes = FOREVER) -> None:
        self.gate = gate
        self._retention_us = lifetimes.retention_us
        self._features = ["seeds"] if seeds_allowed else []

    def check_open(self) -> None:
        """Answers as long as anybody can call."""

    @answered
    async def GetServerInfo(
        self, request: pb.GetServerInfoRequest, context: Context
    ) -> pb.GetServerInfoResponse:
        return pb.GetServerInfoResponse(
            version=SERVER_VERSION,
            engine_version=engine.__version__,
            match_ttl=duration_to_wire(self._retention_us) if self._retention_us else None,
            features=self._features,
            max_batch=MOST_ITEMS,
        )

    @answered
    async def ListRulesets(
        self, request: pb.ListRulesetsRequest, context: Context
    ) -> pb.ListRulesetsResponse:
        names, token = _page(list(RULESETS), request.page_size, request.page_token)
        rulesets = [_ruleset_to_wire(RULESETS[name], RULESETS[name]["rules"]) for name in names]
        return pb.ListRulesetsResponse(rulesets=rulesets, next_page_token=token)

    @answered
    async def GetRuleset(
        self, request: pb.GetRulesetRequest, context: Context
    ) -> pb.GetRulesetResponse:
        ruleset = ruleset_from_wire(request.name, "name")
        overrides: Overrides = overrides_from_wire(request.overrides, "overrides")
        rules = resolve(ruleset, overrides, "overrides")
        return pb.GetRulesetResponse(ruleset=_ruleset_to_wire(ruleset, rules))

    @answered
    async def ListBots(self, request: pb.ListBotsRequest, context: Context) -> pb.ListBotsResponse:
        names, token = _page(engine.bots(), request.page_size, request.page_token)
        return pb.ListBotsResponse(bots=[_bot(name) for name in names], next_page_token=token)


def _ruleset_to_wire(ruleset: Ruleset, rules: Rules) -> rules_pb2.Ruleset:
    words = words_for(RULESET_WORDS, ruleset["name"])
    turn_time_us = ruleset["turn_time_s"] * SECOND_US
    clock = ClockSetup(turn_time_us=turn_time_us, timeouts_to_forfeit=0, hand_pause_us=0)
    bot = ruleset["usual_bot"]
    return rules_pb2.Ruleset(
        name=f"rulesets/{ruleset['name']}",
        display_name=words.display_name,
        description=words.description,
        rules=rules_to_wire(rules),
        clock=clock_to_wire(clock),
        turn_times=[duration_to_wire(length * SECOND_US) for length in ruleset["turn_times_s"]],
        hints=ruleset["hints"],
        usual_bot=f"bots/{bot}" if bot in engine.bots() else "",
    )


def _bot(name: str) -> pb.Bot:
    words = words_for(BOT_WORDS, name)
    return pb.Bot(
        name=f"bots/{name}",
        display_name=words.display_name,
        description=words.description,
        default_options=default_options(name),
        deterministic=not thinks(name),
    )


def _page(names: list[str], page_size: int, page_token: str) -> tuple[list[str], str]:
    """A page of a short list that does not change; the token is the page's first name."""
    size = page_size_from_wire(page_size)
    if page_token and page_token not in names:
        raise BadField("page_token", "is not one of this server's")
    start = names.index(page_token) if page_token else 0
    following = names[start + size :]
    return names[start : start + size], following[0] if following else ""
