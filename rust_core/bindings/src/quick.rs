//! The commands of nearly every move, read straight from their dictionaries.
//!
//! Each function answers `None` for whatever else there is, right or wrong: serde reads that and
//! says what is wrong with it.

use ginrummy_engine::{Action, Card, Command, Pile, Seat};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyString};

/// An action without groups.
pub(crate) fn command(obj: &Bound<'_, PyAny>) -> Option<Command> {
    let py = obj.py();
    let fields = obj.cast_exact::<PyDict>().ok()?;
    if fields.len() != 3 || word(fields, intern!(py, "type"))?.to_str().ok()? != "act" {
        return None;
    }
    let seat = fields.get_item(intern!(py, "seat")).ok()??;
    let number = seat.cast_exact::<PyInt>().ok()?.extract::<u8>().ok()?;
    let action = fields.get_item(intern!(py, "action")).ok()??;
    Some(Command::Act {
        seat: Seat::from_number(number)?,
        action: self::action(action.cast_exact::<PyDict>().ok()?)?,
    })
}

fn action(fields: &Bound<'_, PyDict>) -> Option<Action> {
    let py = fields.py();
    let kind = word(fields, intern!(py, "type"))?;
    match (kind.to_str().ok()?, fields.len()) {
        ("pass", 1) => Some(Action::Pass),
        ("draw", 2) => match word(fields, intern!(py, "pile"))?.to_str().ok()? {
            "stock" => Some(Action::Draw { pile: Pile::Stock }),
            "discard" => Some(Action::Draw {
                pile: Pile::Discard,
            }),
            _ => None,
        },
        ("discard", 2) => Some(Action::Discard {
            card: card(fields, intern!(py, "card"))?,
        }),
        ("knock", 2) => Some(Action::knock(card(fields, intern!(py, "discard"))?)),
        _ => None,
    }
}

fn card(fields: &Bound<'_, PyDict>, key: &Bound<'_, PyString>) -> Option<Card> {
    word(fields, key)?.to_str().ok()?.parse().ok()
}

fn word<'py>(
    fields: &Bound<'py, PyDict>,
    key: &Bound<'py, PyString>,
) -> Option<Bound<'py, PyString>> {
    fields.get_item(key).ok()??.cast_into_exact().ok()
}
