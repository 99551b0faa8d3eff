//! Bots against bots. Playing holds neither the interpreter's lock nor any other.

use std::sync::Mutex;

use ginrummy_engine::{Deals, Pairing, Rules, Tally};
use pyo3::prelude::*;

use crate::args::{BotArg, Number, SeedArg};
use crate::errors::engine_error;
use crate::plain::{Plain, to_plain};
use crate::play::locked;
use crate::thinking::PyCancel;

#[pyclass(name = "Tally", module = "ginrummy.engine", frozen)]
pub(crate) struct PyTally(Mutex<Tally>);

impl From<Tally> for PyTally {
    fn from(tally: Tally) -> Self {
        Self(Mutex::new(tally))
    }
}

#[pymethods]
impl PyTally {
    #[new]
    fn new() -> Self {
        Tally::default().into()
    }

    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        let tally: Tally = serde_json::from_str(text)
            .map_err(|error| engine_error(py, format!("tally: {error}")))?;
        Ok(tally.into())
    }

    fn json(&self, py: Python<'_>) -> PyResult<String> {
        serde_json::to_string(&*locked(py, &self.0)).map_err(|error| engine_error(py, error))
    }

    fn add(&self, py: Python<'_>, other: &Self) {
        let other = locked(py, &other.0).clone();
        locked(py, &self.0).add(&other);
    }

    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let tally = locked(py, &self.0).clone();
        to_plain(py, &tally)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> bool {
        let other = locked(py, &other.0).clone();
        *locked(py, &self.0) == other
    }

    #[getter]
    fn deals(&self, py: Python<'_>) -> u64 {
        locked(py, &self.0).deals
    }

    #[getter]
    fn matches(&self, py: Python<'_>) -> u64 {
        locked(py, &self.0).matches
    }
}

#[pyclass(name = "Pairing", module = "ginrummy.engine", frozen)]
pub(crate) struct PyPairing(Pairing);

#[pymethods]
impl PyPairing {
    #[new]
    #[pyo3(
        signature = (rules, bots, seed, number = Number(0), single_deals = false),
        text_signature = "(rules, bots, seed, number=0, single_deals=False)"
    )]
    fn new(
        rules: Plain<Rules>,
        bots: (BotArg, BotArg),
        seed: SeedArg,
        number: Number<u32>,
        single_deals: bool,
    ) -> Self {
        Self(Pairing {
            rules: rules.0,
            bots: [bots.0.0, bots.1.0],
            deals: if single_deals {
                Deals::Single
            } else {
                Deals::Duplicate
            },
            seed: seed.0,
            number: number.0,
        })
    }

    fn deal_seed(&self, deal: Number<u64>) -> [u8; 32] {
        *self.0.deal_seed(deal.0).bytes()
    }

    fn play(
        &self,
        py: Python<'_>,
        first: Number<u64>,
        end: Number<u64>,
        cancel: &PyCancel,
    ) -> Option<PyTally> {
        let played = py.detach(|| {
            let mut tally = Tally::default();
            for deal in first.0..end.0 {
                tally.add(&self.0.play(deal, &|| cancel.is_cancelled())?);
            }
            Some(tally)
        });
        played.map(PyTally::from)
    }
}
