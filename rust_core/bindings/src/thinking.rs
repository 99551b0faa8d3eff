//! Bots and advice: they may think for a while, on a copy, without any lock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ginrummy_engine::{Bot, SeatView, Thinking};
use pyo3::prelude::*;
use serde::Serialize;

use crate::args::{BotArg, Number};
use crate::errors::engine_error;
use crate::plain::to_plain;

/// Nobody waits longer for a move.
const LONGEST_THINK_S: f64 = 3600.0;

#[pyclass(name = "Cancel", module = "ginrummy.engine", frozen)]
pub(crate) struct PyCancel(AtomicBool);

#[pymethods]
impl PyCancel {
    #[new]
    fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    #[getter]
    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Which bot thinks, and for how long.
pub(crate) struct Thinker {
    bot: Bot,
    seed: u64,
    samples: Option<u32>,
    think_time: Option<Duration>,
    cancel: Option<Py<PyCancel>>,
}

impl Thinker {
    pub(crate) fn new(
        py: Python<'_>,
        bot: BotArg,
        seed: Number<u64>,
        samples: Option<Number<u32>>,
        think_s: Option<f64>,
        cancel: Option<Py<PyCancel>>,
    ) -> PyResult<Self> {
        let samples = samples.map(|samples| samples.0);
        if samples == Some(0) {
            return Err(engine_error(
                py,
                "samples 0: at least 1, or None for the bot's own",
            ));
        }
        let think_time = match think_s {
            Some(think_s) if !(0.0..=LONGEST_THINK_S).contains(&think_s) => {
                let message = format!("think_s {think_s}: 0 to {LONGEST_THINK_S} seconds");
                return Err(engine_error(py, message));
            }
            think_s => think_s.map(Duration::from_secs_f64),
        };
        Ok(Self {
            bot: bot.0,
            seed: seed.0,
            samples,
            think_time,
            cancel,
        })
    }

    /// What the bot answers, from a thread that has released the interpreter meanwhile.
    pub(crate) fn answer<'py, T: Serialize + Send>(
        &self,
        py: Python<'py>,
        ask: impl FnOnce(Bot, &Thinking<'_>) -> T + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let answer = py.detach(|| {
            let until = self.think_time.map(|time| Instant::now() + time);
            let goes_on = || {
                let cancelled = self
                    .cancel
                    .as_ref()
                    .is_some_and(|cancel| cancel.get().is_cancelled());
                !cancelled && until.is_none_or(|until| Instant::now() < until)
            };
            let thinking = Thinking {
                seed: self.seed,
                samples: self.samples,
                goes_on: &goes_on,
            };
            ask(self.bot, &thinking)
        });
        to_plain(py, &answer)
    }
}

pub(crate) fn decision(
    bot: Bot,
    view: Option<SeatView<'_>>,
    thinking: &Thinking<'_>,
) -> Option<ginrummy_engine::Action> {
    view.and_then(|view| bot.decide(&view, thinking))
}

pub(crate) fn advice(
    bot: Bot,
    view: Option<SeatView<'_>>,
    thinking: &Thinking<'_>,
) -> Vec<ginrummy_engine::Suggestion> {
    view.map(|view| bot.suggest(&view, thinking))
        .unwrap_or_default()
}
