//! The state machines as Python objects.
//!
//! Each object guards its state with a lock of its own, so that any thread may call it; calls on
//! one object wait for each other, and one call is one step. Most take a few microseconds and
//! keep the interpreter's lock; a bot thinks on a copy, without either lock.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ginrummy_engine::{
    Action, Card, Command, Deck, Hand, HandView, Ledger, Match, Phase, Position, Rules,
    SeatPosition, SeatView,
};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyString;

use crate::args::{BotArg, Number, SeatArg, SeedArg, ViewerArg, cards_in_order};
use crate::errors::{engine_error, invalid_cards, invalid_position, violation, wrong_type};
use crate::plain::{Plain, to_plain};
use crate::step::PyStep;
use crate::thinking::{PyCancel, Thinker, advice, decision};

/// More points than any hand can score.
const MOST_POINTS: u32 = 10_000;

/// Waits for the lock without holding the interpreter's, so that two locks never wait crosswise.
pub(crate) fn locked<'a, T>(py: Python<'_>, state: &'a Mutex<T>) -> MutexGuard<'a, T> {
    state
        .lock_py_attached(py)
        .unwrap_or_else(PoisonError::into_inner)
}

/// The 52 cards in the order given. Text is read as a set of cards, which has no order.
fn whole_deck(deck: &Bound<'_, PyAny>) -> PyResult<Deck> {
    if deck.is_instance_of::<PyString>() {
        return Err(wrong_type("a list of card names in dealing order", deck));
    }
    let cards = cards_in_order(deck)?;
    cards.as_slice().try_into().map_err(|_| {
        let message = format!("{} cards: a deck has {}", cards.len(), Card::COUNT);
        invalid_cards(deck.py(), message)
    })
}

#[pyclass(name = "Hand", module = "ginrummy.engine", frozen)]
pub(crate) struct PyHand(Mutex<Hand>);

impl From<Hand> for PyHand {
    fn from(hand: Hand) -> Self {
        Self(Mutex::new(hand))
    }
}

#[pymethods]
impl PyHand {
    #[staticmethod]
    fn deal(rules: Plain<Rules>, deck: &Bound<'_, PyAny>, dealer: SeatArg) -> PyResult<Self> {
        Ok(Hand::deal(&rules.0, &whole_deck(deck)?, dealer.0).into())
    }

    #[staticmethod]
    fn from_position(
        py: Python<'_>,
        rules: Plain<Rules>,
        position: Plain<Position>,
    ) -> PyResult<Self> {
        let hand = Hand::from_position(&rules.0, &position.0);
        let hand = hand.map_err(|invalid| invalid_position(py, &invalid))?;
        Ok(hand.into())
    }

    #[staticmethod]
    fn from_seat_position(
        py: Python<'_>,
        rules: Plain<Rules>,
        position: Plain<SeatPosition>,
    ) -> PyResult<Self> {
        let hand = Hand::from_seat_position(&rules.0, &position.0);
        let hand = hand.map_err(|invalid| invalid_position(py, &invalid))?;
        Ok(hand.into())
    }

    fn apply<'py>(
        &self,
        py: Python<'py>,
        seat: SeatArg,
        action: Plain<Action>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let events = locked(py, &self.0).apply(seat.0, &action.0);
        to_plain(py, &events.map_err(|refused| violation(py, &refused))?)
    }

    fn time_out<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let events = locked(py, &self.0).time_out();
        to_plain(py, &events)
    }

    #[pyo3(signature = (viewer, hints = true))]
    fn view<'py>(
        &self,
        py: Python<'py>,
        viewer: ViewerArg,
        hints: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let view = HandView::new(&locked(py, &self.0), viewer.0, hints);
        to_plain(py, &view)
    }

    fn position<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let position = locked(py, &self.0).position();
        to_plain(py, &position)
    }

    #[pyo3(signature = (seat, bot, *, seed = Number(0), samples = None, think_s = None, cancel = None), text_signature = "($self, seat, bot, *, seed=0, samples=None, think_s=None, cancel=None)")]
    #[allow(clippy::too_many_arguments, reason = "Python gives them by name")]
    fn bot_action<'py>(
        &self,
        py: Python<'py>,
        seat: SeatArg,
        bot: BotArg,
        seed: Number<u64>,
        samples: Option<Number<u32>>,
        think_s: Option<f64>,
        cancel: Option<Py<PyCancel>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let thinker = Thinker::new(py, bot, seed, samples, think_s, cancel)?;
        let copy = locked(py, &self.0).clone();
        thinker.answer(py, |bot, thinking| {
            decision(bot, Some(SeatView::new(&copy, seat.0)), thinking)
        })
    }

    #[pyo3(signature = (seat, bot, *, seed = Number(0), samples = None, think_s = None, cancel = None), text_signature = "($self, seat, bot, *, seed=0, samples=None, think_s=None, cancel=None)")]
    #[allow(clippy::too_many_arguments, reason = "Python gives them by name")]
    fn suggest<'py>(
        &self,
        py: Python<'py>,
        seat: SeatArg,
        bot: BotArg,
        seed: Number<u64>,
        samples: Option<Number<u32>>,
        think_s: Option<f64>,
        cancel: Option<Py<PyCancel>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let thinker = Thinker::new(py, bot, seed, samples, think_s, cancel)?;
        let copy = locked(py, &self.0).clone();
        thinker.answer(py, |bot, thinking| {
            advice(bot, Some(SeatView::new(&copy, seat.0)), thinking)
        })
    }

    fn clone(&self, py: Python<'_>) -> Self {
        let hand = locked(py, &self.0).clone();
        hand.into()
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        self.clone(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone(py)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> bool {
        let other = locked(py, &other.0).clone();
        *locked(py, &self.0) == other
    }

    #[getter]
    fn phase<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let phase = locked(py, &self.0).phase();
        to_plain(py, &phase)
    }

    #[getter]
    fn to_act(&self, py: Python<'_>) -> Option<u8> {
        locked(py, &self.0)
            .to_act()
            .map(ginrummy_engine::Seat::number)
    }

    #[getter]
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let result = locked(py, &self.0).result().cloned();
        to_plain(py, &result)
    }
}

#[pyclass(name = "Match", module = "ginrummy.engine", frozen)]
pub(crate) struct PyMatch(pub(crate) Mutex<Match>);

impl From<Match> for PyMatch {
    fn from(game: Match) -> Self {
        Self(Mutex::new(game))
    }
}

#[pymethods]
impl PyMatch {
    #[staticmethod]
    fn start(
        py: Python<'_>,
        rules: Plain<Rules>,
        seed: SeedArg,
    ) -> PyResult<(Self, Bound<'_, PyAny>)> {
        let (game, events) = Match::start(&rules.0, seed.0);
        Ok((game.into(), to_plain(py, &events)?))
    }

    #[staticmethod]
    fn start_from_decks<'py>(
        py: Python<'py>,
        rules: Plain<Rules>,
        decks: Vec<Bound<'py, PyAny>>,
        first_dealer: SeatArg,
        seed: SeedArg,
    ) -> PyResult<(Self, Bound<'py, PyAny>)> {
        let decks: Vec<Deck> = decks.iter().map(whole_deck).collect::<PyResult<_>>()?;
        let started = Match::start_from_decks(&rules.0, &decks, first_dealer.0, seed.0);
        let (game, events) = started.map_err(|invalid| invalid_cards(py, invalid))?;
        Ok((game.into(), to_plain(py, &events)?))
    }

    fn after(&self, py: Python<'_>, command: Plain<Command>) -> PyResult<PyStep> {
        let mut game = locked(py, &self.0).clone();
        let events = game.apply(&command.0);
        PyStep::new(py, game, events.map_err(|refused| violation(py, &refused))?)
    }

    fn apply<'py>(&self, py: Python<'py>, command: Plain<Command>) -> PyResult<Bound<'py, PyAny>> {
        let events = locked(py, &self.0).apply(&command.0);
        to_plain(py, &events.map_err(|refused| violation(py, &refused))?)
    }

    #[pyo3(signature = (viewer, hints = true))]
    fn view<'py>(
        &self,
        py: Python<'py>,
        viewer: ViewerArg,
        hints: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let view = locked(py, &self.0).view(viewer.0, hints);
        to_plain(py, &view)
    }

    #[pyo3(signature = (seat, bot, *, seed = Number(0), samples = None, think_s = None, cancel = None), text_signature = "($self, seat, bot, *, seed=0, samples=None, think_s=None, cancel=None)")]
    #[allow(clippy::too_many_arguments, reason = "Python gives them by name")]
    fn bot_action<'py>(
        &self,
        py: Python<'py>,
        seat: SeatArg,
        bot: BotArg,
        seed: Number<u64>,
        samples: Option<Number<u32>>,
        think_s: Option<f64>,
        cancel: Option<Py<PyCancel>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let thinker = Thinker::new(py, bot, seed, samples, think_s, cancel)?;
        let copy = locked(py, &self.0).clone();
        thinker.answer(py, |bot, thinking| {
            decision(bot, copy.seat_view(seat.0), thinking)
        })
    }

    #[pyo3(signature = (seat, bot, *, seed = Number(0), samples = None, think_s = None, cancel = None), text_signature = "($self, seat, bot, *, seed=0, samples=None, think_s=None, cancel=None)")]
    #[allow(clippy::too_many_arguments, reason = "Python gives them by name")]
    fn suggest<'py>(
        &self,
        py: Python<'py>,
        seat: SeatArg,
        bot: BotArg,
        seed: Number<u64>,
        samples: Option<Number<u32>>,
        think_s: Option<f64>,
        cancel: Option<Py<PyCancel>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let thinker = Thinker::new(py, bot, seed, samples, think_s, cancel)?;
        let copy = locked(py, &self.0).clone();
        thinker.answer(py, |bot, thinking| {
            advice(bot, copy.seat_view(seat.0), thinking)
        })
    }

    fn clone(&self, py: Python<'_>) -> Self {
        let game = locked(py, &self.0).clone();
        game.into()
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        self.clone(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone(py)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> bool {
        let other = locked(py, &other.0).clone();
        *locked(py, &self.0) == other
    }

    #[getter]
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rules = *locked(py, &self.0).rules();
        to_plain(py, &rules)
    }

    #[getter]
    fn hand_number(&self, py: Python<'_>) -> u32 {
        locked(py, &self.0).hand_number()
    }

    #[getter]
    fn phase<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let game = locked(py, &self.0);
        let phase = if game.result().is_some() {
            Phase::Over
        } else {
            game.hand().phase()
        };
        drop(game);
        to_plain(py, &phase)
    }

    #[getter]
    fn to_act(&self, py: Python<'_>) -> Option<u8> {
        locked(py, &self.0)
            .to_act()
            .map(ginrummy_engine::Seat::number)
    }

    #[getter]
    fn is_over(&self, py: Python<'_>) -> bool {
        locked(py, &self.0).result().is_some()
    }
}

#[pyclass(name = "Ledger", module = "ginrummy.engine", frozen)]
pub(crate) struct PyLedger(Mutex<Ledger>);

#[pymethods]
impl PyLedger {
    #[new]
    fn new(rules: Plain<Rules>) -> Self {
        Self(Mutex::new(Ledger::new(&rules.0)))
    }

    fn record(&self, py: Python<'_>, winner: SeatArg, points: Number<u32>) -> PyResult<()> {
        if points.0 > MOST_POINTS {
            let message = format!(
                "{} points: no hand is worth more than {MOST_POINTS}",
                points.0
            );
            return Err(engine_error(py, message));
        }
        locked(py, &self.0).record(winner.0, points.0);
        Ok(())
    }

    fn sheets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let sheets = locked(py, &self.0).sheets();
        to_plain(py, &sheets[..])
    }

    fn running(&self, py: Python<'_>) -> Vec<u32> {
        locked(py, &self.0).running().to_vec()
    }

    fn clone(&self, py: Python<'_>) -> Self {
        Self(Mutex::new(locked(py, &self.0).clone()))
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        self.clone(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone(py)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> bool {
        let other = locked(py, &other.0).clone();
        *locked(py, &self.0) == other
    }

    #[getter]
    fn is_over(&self, py: Python<'_>) -> bool {
        locked(py, &self.0).is_over()
    }

    #[getter]
    fn winner(&self, py: Python<'_>) -> Option<u8> {
        locked(py, &self.0)
            .winner()
            .map(ginrummy_engine::Seat::number)
    }
}
