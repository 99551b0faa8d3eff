//! What is fixed before a hand: rulesets, bots and deals; and events as each viewer sees them.

use ginrummy_engine::{
    Bot, DealerRule, Event, Overrides, PileView, Ruleset, next_dealer as dealer_after,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::args::{BotArg, Number, RulesetArg, SeatArg, SeedArg, ViewerArg};
use crate::errors::{engine_error, refused_option};
use crate::plain::{Plain, to_plain};

#[pyfunction]
pub(crate) fn rulesets(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_plain(py, &Ruleset::ALL[..])
}

#[pyfunction]
#[pyo3(signature = (ruleset, overrides = None))]
pub(crate) fn resolve_rules(
    py: Python<'_>,
    ruleset: RulesetArg,
    overrides: Option<Plain<Overrides>>,
) -> PyResult<Bound<'_, PyAny>> {
    let overrides = overrides.map(|plain| plain.0).unwrap_or_default();
    let rules = ruleset.0.with(overrides);
    to_plain(py, &rules.map_err(|refused| refused_option(py, &refused))?)
}

#[pyfunction]
pub(crate) fn check_turn_time(
    py: Python<'_>,
    ruleset: RulesetArg,
    turn_time_s: Number<u32>,
) -> PyResult<()> {
    let checked = ruleset.0.check_turn_time(turn_time_s.0);
    checked.map_err(|refused| refused_option(py, &refused))
}

#[pyfunction]
pub(crate) fn bots() -> Vec<&'static str> {
    Bot::ALL.map(Bot::name).to_vec()
}

#[pyfunction]
pub(crate) fn default_samples(bot: BotArg) -> u32 {
    bot.0.default_samples()
}

#[pyfunction]
pub(crate) fn deck(
    py: Python<'_>,
    seed: SeedArg,
    hand_number: Number<u32>,
) -> PyResult<Bound<'_, PyAny>> {
    if hand_number.0 == 0 {
        return Err(engine_error(py, "hand 0: hands count from 1"));
    }
    to_plain(py, &seed.0.deck(hand_number.0)[..])
}

#[pyfunction]
pub(crate) fn first_dealer(seed: SeedArg) -> u8 {
    seed.0.first_dealer().number()
}

#[pyfunction]
pub(crate) fn commitment(py: Python<'_>, seed: SeedArg) -> Bound<'_, PyBytes> {
    PyBytes::new(py, &seed.0.commitment())
}

#[pyfunction]
pub(crate) fn next_dealer(rule: Plain<DealerRule>, dealer: SeatArg, winner: Option<SeatArg>) -> u8 {
    dealer_after(rule.0, dealer.0, winner.map(|seat| seat.0)).number()
}

#[pyfunction]
pub(crate) fn seen_by(
    py: Python<'_>,
    event: Plain<Event>,
    viewer: ViewerArg,
    knock_card_face_down: bool,
) -> PyResult<Bound<'_, PyAny>> {
    to_plain(py, &event.0.seen_by(viewer.0, knock_card_face_down))
}

#[pyfunction]
pub(crate) fn replayed_to(
    py: Python<'_>,
    viewer: ViewerArg,
    events: Vec<Plain<Event>>,
    pile_view: Plain<PileView>,
    knock_card_face_down: bool,
) -> PyResult<Bound<'_, PyAny>> {
    let events: Vec<Event> = events.into_iter().map(|event| event.0).collect();
    let seen = ginrummy_engine::replayed_to(viewer.0, &events, pile_view.0, knock_card_face_down);
    to_plain(py, &seen)
}
