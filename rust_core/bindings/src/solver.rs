//! One hand at a time: melds, discards, layoffs, scores.

use ginrummy_engine::{Card, CardSet, KnockKind, Rules, knockers_melds};
use pyo3::prelude::*;

use crate::args::{CardArg, CardsArg, HandArg, Number, cards_in_order};
use crate::errors::{engine_error, invalid_cards};
use crate::plain::{Plain, to_plain};

/// Most deadwood points of ten cards.
const MOST_DEADWOOD: u32 = 100;
/// The highest knock limit of any rules.
const MOST_TO_KNOCK: u32 = 10;

#[pyfunction]
#[pyo3(signature = (text, /))]
pub(crate) fn parse_cards<'py>(text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    to_plain(text.py(), &cards_in_order(text)?)
}

#[pyfunction]
pub(crate) fn deadwood(hand: HandArg) -> u32 {
    ginrummy_engine::deadwood(hand.0)
}

#[pyfunction]
pub(crate) fn best_arrangement(py: Python<'_>, hand: HandArg) -> PyResult<Bound<'_, PyAny>> {
    to_plain(py, &ginrummy_engine::best_arrangement(hand.0))
}

#[pyfunction]
pub(crate) fn minimal_arrangements(py: Python<'_>, hand: HandArg) -> PyResult<Bound<'_, PyAny>> {
    to_plain(py, &ginrummy_engine::minimal_arrangements(hand.0))
}

#[pyfunction]
#[pyo3(signature = (hand, barred = None))]
pub(crate) fn price_discards(
    py: Python<'_>,
    hand: HandArg,
    barred: Option<CardArg>,
) -> PyResult<Bound<'_, PyAny>> {
    let barred = barred.map(|card| card.0);
    to_plain(py, &ginrummy_engine::price_discards(hand.0, barred))
}

#[pyfunction]
#[pyo3(signature = (hand, barred = None))]
pub(crate) fn best_discard(
    py: Python<'_>,
    hand: HandArg,
    barred: Option<CardArg>,
) -> PyResult<Bound<'_, PyAny>> {
    let HandArg(hand) = hand;
    if hand.len() != 11 {
        let message = format!("{} cards: a discard is chosen from eleven", hand.len());
        return Err(invalid_cards(py, message));
    }
    let barred = barred.map(|card| card.0);
    to_plain(py, &ginrummy_engine::best_discard(hand, barred))
}

#[pyfunction]
pub(crate) fn best_defence<'py>(
    knocker_melds: &Bound<'py, PyAny>,
    defender: CardsArg,
) -> PyResult<Bound<'py, PyAny>> {
    let py = knocker_melds.py();
    let mut groups = Vec::new();
    // A fourth is refused with the others; an endless iterable has to end.
    for group in knocker_melds.try_iter()?.take(4) {
        groups.push(group?.extract::<CardsArg>()?.0);
    }
    let melds = knockers_melds(&groups, defender.0).map_err(|error| invalid_cards(py, error))?;
    to_plain(py, &ginrummy_engine::best_defence(&melds, defender.0))
}

#[pyfunction]
pub(crate) fn score_hand(
    py: Python<'_>,
    rules: Plain<Rules>,
    kind: Plain<KnockKind>,
    knocker: Number<u32>,
    defender: Number<u32>,
) -> PyResult<Bound<'_, PyAny>> {
    let (Number(knocker), Number(defender)) = (knocker, defender);
    for points in [knocker, defender] {
        if points > MOST_DEADWOOD {
            let message =
                format!("{points} deadwood points: ten cards hold {MOST_DEADWOOD} at most");
            return Err(engine_error(py, message));
        }
    }
    if let Some(problem) = why_no_end(&rules.0, kind.0, knocker) {
        return Err(engine_error(py, problem));
    }
    to_plain(
        py,
        &ginrummy_engine::score_hand(&rules.0, kind.0, knocker, defender),
    )
}

/// Why nobody can end a hand in this way with so many points.
fn why_no_end(rules: &Rules, kind: KnockKind, knocker: u32) -> Option<String> {
    match kind {
        KnockKind::Knock if knocker == 0 => Some("a knock with 0 deadwood points is gin".into()),
        KnockKind::Knock if knocker > MOST_TO_KNOCK => Some(format!(
            "a knock with {knocker} deadwood points: no limit is above {MOST_TO_KNOCK}"
        )),
        KnockKind::BigGin if !rules.big_gin => Some("big gin: the rules have none".into()),
        KnockKind::Gin | KnockKind::BigGin if knocker > 0 => Some(format!(
            "gin with {knocker} deadwood points: it leaves none"
        )),
        _ => None,
    }
}

#[pyfunction]
pub(crate) fn to_mask(hand: CardsArg) -> u64 {
    hand.0.mask()
}

#[pyfunction]
pub(crate) fn from_mask(py: Python<'_>, mask: Number<u64>) -> PyResult<Bound<'_, PyAny>> {
    let cards = CardSet::from_mask(mask.0).ok_or_else(|| {
        invalid_cards(
            py,
            format!("mask {:#x}: a card's bit is below {}", mask.0, Card::COUNT),
        )
    })?;
    to_plain(py, &cards)
}
