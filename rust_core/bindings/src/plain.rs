//! Plain Python values (dictionaries, lists, text, numbers) to and from the engine's types.
//!
//! The shapes are those of the engine's serde derives and are described for Python in
//! `ginrummy/engine/types.py`.

use ginrummy_engine::{
    Action, Command, DealerRule, Event, KnockKind, Overrides, PileView, Position, Rules, Ruleset,
    SeatPosition,
};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple, PyTupleMethods,
};
use pythonize::{
    Depythonizer, PythonizeMappingType, PythonizeTypes, PythonizeUnnamedMappingAdapter,
    pythonize_custom,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::errors::{engine_error, invalid_option, refused_option};
use crate::quick;

/// Nothing the engine reads nests deeper; a list that holds itself would.
const MAX_DEPTH: usize = 10;

/// A value of the engine as plain dictionaries and lists.
pub(crate) fn to_plain<'py, T>(py: Python<'py>, value: &T) -> PyResult<Bound<'py, PyAny>>
where
    T: Serialize + ?Sized,
{
    Ok(pythonize_custom::<DictsAndLists, T>(py, value)?)
}

/// Dictionaries and lists only: a pair of values, one a seat, is a list too, as it is in JSON.
struct DictsAndLists;

impl PythonizeTypes for DictsAndLists {
    type Map = Fields;
    type NamedMap = PythonizeUnnamedMappingAdapter<Fields>;
    type List = PyList;
}

/// The builder of a dictionary.
struct Fields;

impl PythonizeMappingType for Fields {
    type Builder<'py> = Bound<'py, PyDict>;

    fn builder(py: Python<'_>, _len: Option<usize>) -> PyResult<Self::Builder<'_>> {
        Ok(PyDict::new(py))
    }

    fn push_item<'py>(
        builder: &mut Self::Builder<'py>,
        key: Bound<'py, PyAny>,
        value: Bound<'py, PyAny>,
    ) -> PyResult<()> {
        match value.cast::<PyTuple>() {
            Ok(pair) => builder.set_item(key, pair.to_list()),
            Err(_) => builder.set_item(key, value),
        }
    }

    fn finish(builder: Self::Builder<'_>) -> PyResult<Bound<'_, PyMapping>> {
        Ok(builder.into_mapping())
    }
}

/// A type of the engine that Python hands over as plain values.
pub(crate) trait Readable: DeserializeOwned {
    /// What messages call it.
    const NAME: &'static str;

    /// A value of an everyday shape, read without the detour through serde; `None` for any other
    /// and for all that is wrong, which the slow way tells apart.
    fn quick(_obj: &Bound<'_, PyAny>) -> Option<Self> {
        None
    }

    /// A value of the right shape that is impossible all the same.
    fn check(&self, _py: Python<'_>) -> PyResult<()> {
        Ok(())
    }

    /// The exception for a wrong field.
    fn refusal(py: Python<'_>, field: &str, problem: &str) -> PyErr {
        engine_error(py, place(Self::NAME, field, problem))
    }
}

fn place(name: &str, field: &str, problem: &str) -> String {
    match field {
        "" | "." => format!("{name}: {problem}"),
        _ if field.starts_with('[') => format!("{name}{field}: {problem}"),
        _ => format!("{name}.{field}: {problem}"),
    }
}

impl Readable for Action {
    const NAME: &'static str = "action";
}

impl Readable for Command {
    const NAME: &'static str = "command";

    fn quick(obj: &Bound<'_, PyAny>) -> Option<Self> {
        quick::command(obj)
    }
}

impl Readable for Event {
    const NAME: &'static str = "event";
}

impl Readable for Position {
    const NAME: &'static str = "position";
}

impl Readable for SeatPosition {
    const NAME: &'static str = "position";
}

impl Readable for KnockKind {
    const NAME: &'static str = "kind";
}

impl Readable for DealerRule {
    const NAME: &'static str = "rule";
}

impl Readable for PileView {
    const NAME: &'static str = "pile_view";
}

impl Readable for Rules {
    const NAME: &'static str = "rules";

    fn check(&self, py: Python<'_>) -> PyResult<()> {
        // Every option is set, so that any base gives these same rules, checked.
        let checked = Ruleset::ALL[0].with((*self).into());
        checked.map_or_else(|refused| Err(refused_option(py, &refused)), |_| Ok(()))
    }
}

impl Readable for Overrides {
    const NAME: &'static str = "overrides";

    fn refusal(py: Python<'_>, field: &str, problem: &str) -> PyErr {
        match field {
            "" | "." => engine_error(py, place(Self::NAME, field, problem)),
            _ => invalid_option(py, field, problem),
        }
    }
}

/// An argument read from plain values.
pub(crate) struct Plain<T>(pub(crate) T);

impl<T: Readable> FromPyObject<'_, '_> for Plain<T> {
    type Error = PyErr;

    fn extract(obj: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let py = obj.py();
        let obj = obj.to_owned();
        if let Some(value) = T::quick(&obj) {
            return Ok(Self(value));
        }
        check_plain(&obj, 0).map_err(|problem| T::refusal(py, "", &problem))?;
        let mut plain = Depythonizer::from_object(&obj);
        let value: T = serde_path_to_error::deserialize(&mut plain).map_err(|error| {
            let field = error.path().to_string();
            T::refusal(py, &field, &in_words(error.into_inner().to_string()))
        })?;
        value.check(py)?;
        Ok(Self(value))
    }
}

/// The messages of pythonize that speak of its inside, said of the value.
fn in_words(problem: String) -> String {
    if problem.contains("OverflowError") {
        "the number is out of range".to_owned()
    } else if problem.contains("interpreted as an integer") {
        "a whole number is expected".to_owned()
    } else if problem.contains("str or dict for enum") {
        "a name is expected".to_owned()
    } else {
        problem
    }
}

/// Refuses what is not plain before serde recurses into it: it would follow a list into itself
/// until the stack ends.
fn check_plain(obj: &Bound<'_, PyAny>, depth: usize) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("nested more than {MAX_DEPTH} deep"));
    }
    if let Ok(dict) = obj.cast::<PyDict>() {
        for (key, value) in dict {
            if !key.is_instance_of::<PyString>() {
                return Err("a dictionary's keys are text".to_owned());
            }
            check_plain(&value, depth + 1)?;
        }
        return Ok(());
    }
    if let Ok(list) = obj.cast::<PyList>() {
        return list.iter().try_for_each(|v| check_plain(&v, depth + 1));
    }
    if let Ok(tuple) = obj.cast::<PyTuple>() {
        return tuple.iter().try_for_each(|v| check_plain(&v, depth + 1));
    }
    let is_plain = obj.is_none()
        || obj.is_instance_of::<PyString>()
        || obj.is_instance_of::<PyInt>()
        || obj.is_instance_of::<PyBool>()
        || obj.is_instance_of::<PyFloat>();
    if is_plain {
        return Ok(());
    }
    let name = obj.get_type().name();
    let name = name.map_or_else(|_| "object".to_owned(), |name| name.to_string());
    Err(format!(
        "{name} is no plain value: use dict, list, str, int, bool or None"
    ))
}
