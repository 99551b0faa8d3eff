//! What one command leads to, kept as the engine made it until somebody asks.

use ginrummy_engine::{Event, Match};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use serde::Serialize;

use crate::args::Number;
use crate::errors::engine_error;
use crate::plain::to_plain;
use crate::play::PyMatch;

#[pyclass(name = "Step", module = "ginrummy.engine", frozen)]
pub(crate) struct PyStep {
    #[pyo3(get)]
    game: Py<PyMatch>,
    #[pyo3(get)]
    is_over: bool,
    pub(crate) events: Vec<Event>,
    /// The match's option.
    pub(crate) knock_card_face_down: bool,
}

impl PyStep {
    pub(crate) fn new(py: Python<'_>, game: Match, events: Vec<Event>) -> PyResult<Self> {
        Ok(Self {
            is_over: game.result().is_some(),
            knock_card_face_down: game.rules().knock_card_face_down,
            game: Py::new(py, PyMatch::from(game))?,
            events,
        })
    }
}

#[pymethods]
impl PyStep {
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_plain(py, &self.events)
    }

    #[getter]
    fn kinds<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyString>, u8)> {
        let kinds = self.events.iter().map(|event| {
            let seat = event.seat().map_or(0, ginrummy_engine::Seat::number);
            (kind(py, event).clone(), seat)
        });
        kinds.collect()
    }

    #[pyo3(
        signature = (to_act = Number(0), deadline_us = None),
        text_signature = "($self, to_act=0, deadline_us=None)"
    )]
    fn stored(
        &self,
        py: Python<'_>,
        to_act: Number<u32>,
        deadline_us: Option<Number<i64>>,
    ) -> PyResult<String> {
        let end = self.events.len().saturating_sub(1);
        let marked: Vec<_> = self
            .events
            .iter()
            .enumerate()
            .map(|(i, event)| Stored {
                event,
                to_act: (i == end && to_act.0 != 0).then_some(to_act.0),
                deadline_us: deadline_us.as_ref().filter(|_| i == end).map(|us| us.0),
            })
            .collect();
        serde_json::to_string(&marked).map_err(|error| engine_error(py, error))
    }
}

/// An event as the log holds it: the last of an entry says who acts after it, and until when.
#[derive(Serialize)]
struct Stored<'a> {
    #[serde(flatten)]
    event: &'a Event,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_act: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline_us: Option<i64>,
}

/// The event's `type`, one object for all of a kind.
fn kind<'py>(py: Python<'py>, event: &Event) -> &'py Bound<'py, PyString> {
    match event {
        Event::HandDealt { .. } => intern!(py, "hand_dealt"),
        Event::Passed { .. } => intern!(py, "passed"),
        Event::CardDrawn { .. } => intern!(py, "card_drawn"),
        Event::CardDiscarded { .. } => intern!(py, "card_discarded"),
        Event::Knocked(_) => intern!(py, "knocked"),
        Event::LaidOff(_) => intern!(py, "laid_off"),
        Event::HandScored(_) => intern!(py, "hand_scored"),
        Event::TimedOut { .. } => intern!(py, "timed_out"),
        Event::MatchEnded(_) => intern!(py, "match_ended"),
    }
}
