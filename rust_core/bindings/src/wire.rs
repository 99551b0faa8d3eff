//! The API's bytes of what the engine tells.

use ginrummy_engine::{Action, Event, Rules, Seat, Viewer};
use ginrummy_wire::v1::{AnalyzeHandsRequest, FindLayoffsRequest, HandInput, ItemError, View};
use ginrummy_wire::{Message, Place};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::args::{Number, ViewerArg};
use crate::errors::{engine_error, wrong_type};
use crate::plain::{Plain, to_plain};
use crate::play::{PyMatch, locked};
use crate::step::PyStep;

/// In the order in which a match's bytes are told: the spectator and the two seats.
const VIEWERS: [Viewer; 3] = [
    Viewer::Spectator,
    Viewer::Seat(Seat::One),
    Viewer::Seat(Seat::Two),
];

/// Sequence number, time, who has to act after it, and until when.
pub(crate) struct PlaceArg(Place);

impl FromPyObject<'_, '_> for PlaceArg {
    type Error = PyErr;

    fn extract(obj: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let fields = obj.cast::<PyTuple>().ok().filter(|tuple| tuple.len() == 4);
        let fields = fields.ok_or_else(|| wrong_type("a tuple of four numbers", &obj))?;
        let (sequence, time_us, to_act, deadline_us) = fields.extract()?;
        Ok(Self(placed(sequence, time_us, to_act, deadline_us)))
    }
}

type Three<T> = (T, T, T);

#[pyfunction]
pub(crate) fn match_events<'py>(
    py: Python<'py>,
    step: &Bound<'py, PyStep>,
    first: Number<u64>,
    time_us: Number<i64>,
    to_act: Number<u32>,
    deadline_us: Option<Number<i64>>,
) -> PyResult<Three<Bound<'py, PyTuple>>> {
    let step = step.get();
    let deadline_us = deadline_us.map(|us| us.0);
    let count = step.events.len() as u64;
    let events = (0..).zip(&step.events).map(|(i, event)| {
        let is_last = i + 1 == count;
        let place = Place {
            sequence: first.0.saturating_add(i),
            time_us: time_us.0,
            to_act: if is_last { to_act.0 } else { 0 },
            deadline_us: deadline_us.filter(|_| is_last),
        };
        seen_by_each(py, event, step.knock_card_face_down, place)
    });
    let (mut spectator, mut one, mut two) = (Vec::new(), Vec::new(), Vec::new());
    for event in events {
        spectator.push(event.0);
        one.push(event.1);
        two.push(event.2);
    }
    let tuple = |events| PyTuple::new(py, events);
    Ok((tuple(spectator)?, tuple(one)?, tuple(two)?))
}

/// The event behind its length. Those who see the same get the same object.
fn seen_by_each<'py>(
    py: Python<'py>,
    event: &Event,
    knock_card_face_down: bool,
    place: Place,
) -> Three<Bound<'py, PyBytes>> {
    let seen = VIEWERS.map(|viewer| event.seen_by(viewer, knock_card_face_down));
    let delimited = |event| {
        let message = ginrummy_wire::match_event(event, place);
        PyBytes::new(py, &message.encode_length_delimited_to_vec())
    };
    let spectator = delimited(&seen[0]);
    let one = if seen[1] == seen[0] {
        spectator.clone()
    } else {
        delimited(&seen[1])
    };
    let two = if seen[2] == seen[0] {
        spectator.clone()
    } else if seen[2] == seen[1] {
        one.clone()
    } else {
        delimited(&seen[2])
    };
    (spectator, one, two)
}

#[pyfunction]
#[pyo3(
    signature = (event, sequence, time_us, to_act = Number(0), deadline_us = None),
    text_signature = "(event, sequence, time_us, to_act=0, deadline_us=None)"
)]
pub(crate) fn match_event(
    py: Python<'_>,
    event: Plain<Event>,
    sequence: Number<u64>,
    time_us: Number<i64>,
    to_act: Number<u32>,
    deadline_us: Option<Number<i64>>,
) -> Bound<'_, PyBytes> {
    let place = placed(sequence, time_us, to_act, deadline_us);
    let message = ginrummy_wire::match_event(&event.0, place);
    PyBytes::new(py, &message.encode_to_vec())
}

fn placed(
    sequence: Number<u64>,
    time_us: Number<i64>,
    to_act: Number<u32>,
    deadline_us: Option<Number<i64>>,
) -> Place {
    Place {
        sequence: sequence.0,
        time_us: time_us.0,
        to_act: to_act.0,
        deadline_us: deadline_us.map(|us| us.0),
    }
}

#[pyfunction]
pub(crate) fn match_view<'py>(
    py: Python<'py>,
    table: &Bound<'py, PyBytes>,
    game: &Bound<'py, PyMatch>,
    viewer: ViewerArg,
    hints: bool,
    last_action: Option<PlaceArg>,
) -> PyResult<Bound<'py, PyBytes>> {
    let table = View::decode(table.as_bytes())
        .map_err(|error| engine_error(py, format!("table: {error}")))?;
    let last_action = last_action.map(|place| place.0);
    let game = locked(py, &game.get().0);
    let view = ginrummy_wire::view(table, &game, viewer.0, hints, last_action);
    drop(game);
    Ok(PyBytes::new(py, &view.encode_to_vec()))
}

#[pyfunction]
pub(crate) fn analyze_hands<'py>(
    py: Python<'py>,
    request: &Bound<'py, PyBytes>,
    rules: Plain<Rules>,
) -> PyResult<Bound<'py, PyBytes>> {
    answered(py, request, |request: &AnalyzeHandsRequest| {
        ginrummy_wire::analyze_hands(request, &rules.0)
    })
}

#[pyfunction]
pub(crate) fn find_layoffs<'py>(
    py: Python<'py>,
    request: &Bound<'py, PyBytes>,
) -> PyResult<Bound<'py, PyBytes>> {
    answered(py, request, |request: &FindLayoffsRequest| {
        ginrummy_wire::find_layoffs(request)
    })
}

#[pyfunction]
pub(crate) fn action(py: Python<'_>, action: Plain<Action>) -> Bound<'_, PyBytes> {
    PyBytes::new(py, &ginrummy_wire::action(&action.0).encode_to_vec())
}

#[pyfunction]
pub(crate) fn hand_cards<'py>(
    py: Python<'py>,
    hand: &Bound<'py, PyBytes>,
    path: &Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyAny>> {
    let path = path.to_string_lossy();
    let hand = HandInput::decode(hand.as_bytes())
        .map_err(|error| engine_error(py, format!("hand: {error}")))?;
    match ginrummy_wire::read_hand(Some(&hand), &path) {
        Ok(cards) => to_plain(py, &cards),
        Err(bad) => {
            let error = ItemError::from(bad).encode_to_vec();
            Ok(PyBytes::new(py, &error).into_any())
        }
    }
}

/// Reads, answers and writes without the interpreter's lock.
fn answered<'py, Request: Message + Default, Response: Message>(
    py: Python<'py>,
    request: &Bound<'py, PyBytes>,
    answer: impl Fn(&Request) -> Response + Sync,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = request.as_bytes();
    let response = py.detach(|| Ok(answer(&Request::decode(bytes)?).encode_to_vec()));
    let response = response.map_err(|error: ginrummy_wire::DecodeError| {
        engine_error(py, format!("request: {error}"))
    })?;
    Ok(PyBytes::new(py, &response))
}
