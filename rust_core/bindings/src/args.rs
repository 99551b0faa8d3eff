//! Arguments that are no dictionaries: cards, seats, viewers, seeds and numbers.

use ginrummy_engine::{Bot, Card, CardSet, Ruleset, Seat, Seed, Viewer};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyString};

use crate::errors::{engine_error, invalid_cards, invalid_option, wrong_type};

/// One card by its name.
pub(crate) struct CardArg(pub(crate) Card);

impl FromPyObject<'_, '_> for CardArg {
    type Error = PyErr;

    fn extract(obj: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match obj.cast::<PyString>() {
            Ok(text) => card(obj.py(), &text.to_string_lossy()).map(Self),
            Err(_) => Err(wrong_type("a card's name", &obj)),
        }
    }
}

fn card(py: Python<'_>, name: &str) -> PyResult<Card> {
    name.parse().map_err(|error| invalid_cards(py, error))
}

/// Different cards in the order given: text or an iterable of names.
pub(crate) fn cards_in_order(obj: &Bound<'_, PyAny>) -> PyResult<Vec<Card>> {
    let py = obj.py();
    if let Ok(text) = obj.cast::<PyString>() {
        let cards: Result<CardSet, _> = text.to_string_lossy().parse();
        return match cards {
            Ok(cards) => Ok(cards.into_iter().collect()),
            Err(error) => Err(invalid_cards(py, error)),
        };
    }
    let Ok(names) = obj.try_iter() else {
        return Err(wrong_type(
            "text like \"AS TD\" or an iterable of card names",
            obj,
        ));
    };
    let mut cards = Vec::new();
    // A doubled card ends the loop: there are 52.
    for name in names {
        cards.push(name?.extract::<CardArg>()?.0);
        if let Err(error) = CardSet::try_from_cards(cards.iter().copied()) {
            return Err(invalid_cards(py, error));
        }
    }
    Ok(cards)
}

/// Any set of cards: text or an iterable of names.
#[derive(Clone, Copy)]
pub(crate) struct CardsArg(pub(crate) CardSet);

impl FromPyObject<'_, '_> for CardsArg {
    type Error = PyErr;

    fn extract(obj: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Ok(Self(cards_in_order(&obj)?.into_iter().collect()))
    }
}

/// The cards of one hand, eleven at most.
#[derive(Clone, Copy)]
pub(crate) struct HandArg(pub(crate) CardSet);

impl FromPyObject<'_, '_> for HandArg {
    type Error = PyErr;

    fn extract(obj: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let CardsArg(cards) = obj.extract()?;
        if cards.len() > 11 {
            let message = format!("{} cards: a hand has at most eleven", cards.len());
            return Err(invalid_cards(obj.py(), message));
        }
        Ok(Self(cards))
    }
}

/// A whole number in the range of `T`.
pub(crate) struct Number<T>(pub(crate) T);

impl<T: TryFrom<i128>> FromPyObject<'_, '_> for Number<T> {
    type Error = PyErr;

    fn extract(obj: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let py = obj.py();
        if !obj.is_instance_of::<PyInt>() {
            return Err(wrong_type("a whole number", &obj));
        }
        // Nearly every number, and the quick way.
        if let Ok(number) = obj.extract::<i64>() {
            return Self::within(py, number.into());
        }
        let out_of_range = || engine_error(py, "the number is out of range");
        match obj.extract::<i128>() {
            Ok(number) => Self::within(py, number),
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => Err(out_of_range()),
            Err(error) => Err(error),
        }
    }
}

impl<T: TryFrom<i128>> Number<T> {
    fn within(py: Python<'_>, number: i128) -> PyResult<Self> {
        T::try_from(number)
            .map(Self)
            .map_err(|_| engine_error(py, format!("{number} is out of range")))
    }
}

/// 1 or 2.
#[derive(Clone, Copy)]
pub(crate) struct SeatArg(pub(crate) Seat);

impl FromPyObject<'_, '_> for SeatArg {
    type Error = PyErr;

    fn extract(obj: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let Number(number) = obj.extract::<Number<i64>>()?;
        let seat = u8::try_from(number).ok().and_then(Seat::from_number);
        seat.map(Self)
            .ok_or_else(|| engine_error(obj.py(), format!("seat {number}: 1 or 2")))
    }
}

/// 0 for a spectator, else a seat.
#[derive(Clone, Copy)]
pub(crate) struct ViewerArg(pub(crate) Viewer);

impl FromPyObject<'_, '_> for ViewerArg {
    type Error = PyErr;

    fn extract(obj: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let Number(number) = obj.extract::<Number<i64>>()?;
        let viewer = u8::try_from(number).ok().and_then(Viewer::from_number);
        viewer.map(Self).ok_or_else(|| {
            engine_error(
                obj.py(),
                format!("viewer {number}: 0 for a spectator, or a seat"),
            )
        })
    }
}

/// 32 bytes.
#[derive(Clone, Copy)]
pub(crate) struct SeedArg(pub(crate) Seed);

impl FromPyObject<'_, '_> for SeedArg {
    type Error = PyErr;

    fn extract(obj: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let Ok(bytes) = obj.cast::<PyBytes>() else {
            return Err(wrong_type("32 bytes", &obj));
        };
        let bytes = bytes.as_bytes();
        let seed = <[u8; 32]>::try_from(bytes).map_err(|_| {
            engine_error(
                obj.py(),
                format!("a seed has 32 bytes, not {}", bytes.len()),
            )
        })?;
        Ok(Self(Seed::new(seed)))
    }
}

/// A ruleset by its name.
pub(crate) struct RulesetArg(pub(crate) Ruleset);

impl FromPyObject<'_, '_> for RulesetArg {
    type Error = PyErr;

    fn extract(obj: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let name = name(&obj, "a ruleset's name")?;
        Ruleset::named(&name).map(Self).ok_or_else(|| {
            let known = Ruleset::ALL.map(|ruleset| ruleset.name);
            invalid_option(obj.py(), "ruleset", &unknown(&name, &known))
        })
    }
}

/// A bot by its name.
#[derive(Clone, Copy)]
pub(crate) struct BotArg(pub(crate) Bot);

impl FromPyObject<'_, '_> for BotArg {
    type Error = PyErr;

    fn extract(obj: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let name = name(&obj, "a bot's name")?;
        Bot::named(&name).map(Self).ok_or_else(|| {
            invalid_option(obj.py(), "bot", &unknown(&name, &Bot::ALL.map(Bot::name)))
        })
    }
}

fn name(obj: &Bound<'_, PyAny>, expected: &str) -> PyResult<String> {
    match obj.cast::<PyString>() {
        Ok(name) => Ok(name.to_string_lossy().into_owned()),
        Err(_) => Err(wrong_type(expected, obj)),
    }
}

fn unknown(name: &str, known: &[&str]) -> String {
    format!("{name:?} is unknown: {}", known.join(", "))
}
