//! The one edge where the engine's errors become exceptions of `ginrummy.engine.errors`.

use std::fmt::Display;

use ginrummy_engine::{InvalidOption, InvalidPosition, Violation};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

use crate::plain::to_plain;

/// The exception classes: written in Python, where a class can have a constructor, typed
/// attributes and a pickled form under abi3.
struct Classes {
    engine_error: Py<PyType>,
    invalid_cards: Py<PyType>,
    violation: Py<PyType>,
    invalid_option: Py<PyType>,
    invalid_position: Py<PyType>,
}

fn classes(py: Python<'_>) -> PyResult<&Classes> {
    static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();
    CLASSES.get_or_try_init(py, || {
        let module = py.import("ginrummy.engine.errors")?;
        let class = |name| -> PyResult<Py<PyType>> {
            Ok(module.getattr(name)?.cast_into::<PyType>()?.unbind())
        };
        Ok(Classes {
            engine_error: class("EngineError")?,
            invalid_cards: class("InvalidCards")?,
            violation: class("Violation")?,
            invalid_option: class("InvalidOption")?,
            invalid_position: class("InvalidPosition")?,
        })
    })
}

/// A fault of the engine says where it happened and no more: its words could quote hidden cards.
pub(crate) fn tell_panics_by_place() {
    std::panic::set_hook(Box::new(|fault| {
        let place = fault.location().map(ToString::to_string);
        eprintln!("ginrummy.engine: panic at {}", place.unwrap_or_default());
    }));
}

/// The exception, or the one that prevented making it.
fn raised(exception: PyResult<Bound<'_, PyAny>>) -> PyErr {
    exception.map_or_else(|error| error, PyErr::from_value)
}

/// `EngineError`: a value of the wrong shape or out of range.
pub(crate) fn engine_error(py: Python<'_>, message: impl Display) -> PyErr {
    raised(classes(py).and_then(|c| c.engine_error.bind(py).call1((message.to_string(),))))
}

/// `InvalidCards`: no set of cards, or not one that the call can take.
pub(crate) fn invalid_cards(py: Python<'_>, message: impl Display) -> PyErr {
    raised(classes(py).and_then(|c| c.invalid_cards.bind(py).call1((message.to_string(),))))
}

/// `Violation` with the rule's name and its numbers apart.
pub(crate) fn violation(py: Python<'_>, violation: &Violation) -> PyErr {
    raised((|| {
        let fields = to_plain(py, violation)?.cast_into::<PyDict>()?;
        let kind = fields.get_item("kind")?;
        fields.del_item("kind")?;
        let class = classes(py)?.violation.bind(py);
        class.call1((violation.to_string(), kind, fields))
    })())
}

/// `InvalidOption` for any option, whether the engine names it or a caller made it up.
pub(crate) fn invalid_option(py: Python<'_>, option: &str, problem: &str) -> PyErr {
    raised(classes(py).and_then(|c| c.invalid_option.bind(py).call1((option, problem))))
}

pub(crate) fn refused_option(py: Python<'_>, refused: &InvalidOption) -> PyErr {
    invalid_option(py, refused.option, &refused.problem)
}

pub(crate) fn invalid_position(py: Python<'_>, invalid: &InvalidPosition) -> PyErr {
    raised(classes(py).and_then(|c| {
        let class = c.invalid_position.bind(py);
        class.call1((invalid.field, invalid.problem.as_str()))
    }))
}

/// `TypeError`: the caller passed another kind of thing, as Python's own functions say it.
pub(crate) fn wrong_type(expected: &str, obj: &Bound<'_, PyAny>) -> PyErr {
    let got = obj.get_type().name().map(|name| name.to_string());
    let got = got.unwrap_or_else(|_| "something else".to_owned());
    pyo3::exceptions::PyTypeError::new_err(format!("expected {expected}, not {got}"))
}
