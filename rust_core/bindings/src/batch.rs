//! Whole buffers of hands in one call, without the interpreter's lock.
//!
//! A hand is a u64 mask. Typed buffers (`array("Q")`, numpy's `uint64`) hold native integers,
//! untyped ones (`bytes`, `bytearray`) their little-endian bytes. The buffer is copied before the
//! lock is released: another thread may write to it meanwhile, and copying a million hands takes
//! a millisecond or two.

use ginrummy_engine::{Card, CardSet, knockers_melds};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::args::Number;
use crate::errors::{engine_error, invalid_cards, wrong_type};

/// How a typed buffer's format begins where its byte order is not the machine's own.
const FOREIGN_ORDER: &[u8] = if cfg!(target_endian = "little") {
    b">"
} else {
    b"<"
};

/// A row that cannot be solved.
struct BadRow {
    index: usize,
    problem: String,
}

/// The masks of a buffer.
pub(crate) struct Masks(Vec<u64>);

impl FromPyObject<'_, '_> for Masks {
    type Error = PyErr;

    fn extract(obj: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let py = obj.py();
        if let Ok(words) = PyBuffer::<u64>::get(&obj) {
            if words.format().to_bytes().starts_with(FOREIGN_ORDER) {
                return Err(engine_error(
                    py,
                    "the buffer's byte order is not this machine's",
                ));
            }
            return Ok(Self(contiguous(py, &words)?));
        }
        let Ok(bytes) = PyBuffer::<u8>::get(&obj) else {
            return Err(wrong_type("a buffer of u64 or of bytes", &obj));
        };
        let bytes = contiguous(py, &bytes)?;
        let (words, rest) = bytes.as_chunks::<8>();
        if !rest.is_empty() {
            let message = format!("{} bytes are no rows of 8", bytes.len());
            return Err(engine_error(py, message));
        }
        Ok(Self(
            words.iter().map(|word| u64::from_le_bytes(*word)).collect(),
        ))
    }
}

fn contiguous<T: pyo3::buffer::Element>(py: Python<'_>, buffer: &PyBuffer<T>) -> PyResult<Vec<T>> {
    if !buffer.is_c_contiguous() {
        return Err(engine_error(py, "the buffer is not C-contiguous"));
    }
    buffer.to_vec(py)
}

impl Masks {
    /// Solves each row into `width` bytes.
    fn solve(
        &self,
        py: Python<'_>,
        width: usize,
        row: impl Fn(usize, u64, &mut Vec<u8>) -> Result<(), String> + Sync,
    ) -> PyResult<Vec<u8>> {
        let solved = py.detach(|| {
            let mut out = Vec::with_capacity(self.0.len() * width);
            for (index, mask) in self.0.iter().enumerate() {
                row(index, *mask, &mut out).map_err(|problem| BadRow { index, problem })?;
            }
            Ok(out)
        });
        solved.map_err(|BadRow { index, problem }| {
            invalid_cards(py, format!("row {index}: {problem}"))
        })
    }
}

fn cards(mask: u64) -> Result<CardSet, String> {
    CardSet::from_mask(mask)
        .ok_or_else(|| format!("mask {mask:#x}: a card's bit is below {}", Card::COUNT))
}

fn hand(mask: u64) -> Result<CardSet, String> {
    let hand = cards(mask)?;
    match hand.len() {
        0..=11 => Ok(hand),
        len => Err(format!("{len} cards: a hand has at most eleven")),
    }
}

fn eleven(mask: u64) -> Result<CardSet, String> {
    let hand = cards(mask)?;
    match hand.len() {
        11 => Ok(hand),
        len => Err(format!("{len} cards: a discard is chosen from eleven")),
    }
}

/// Deadwood of ten or eleven cards is 110 at most.
fn byte(points: u32) -> u8 {
    u8::try_from(points).unwrap_or(u8::MAX)
}

#[pyfunction]
pub(crate) fn deadwood_batch(py: Python<'_>, hands: Masks) -> PyResult<Bound<'_, PyBytes>> {
    let out = hands.solve(py, 1, |_, mask, out| {
        out.push(byte(ginrummy_engine::deadwood(hand(mask)?)));
        Ok(())
    })?;
    Ok(PyBytes::new(py, &out))
}

#[pyfunction]
pub(crate) fn best_discard_batch(
    py: Python<'_>,
    hands: Masks,
) -> PyResult<(Bound<'_, PyBytes>, Bound<'_, PyBytes>)> {
    let out = hands.solve(py, 2, |_, mask, out| {
        let best = ginrummy_engine::best_discard(eleven(mask)?, None);
        out.extend([best.card.index(), byte(best.deadwood_points)]);
        Ok(())
    })?;
    let column = |at: usize| {
        let column: Vec<u8> = out.iter().skip(at).step_by(2).copied().collect();
        PyBytes::new(py, &column)
    };
    Ok((column(0), column(1)))
}

#[pyfunction]
pub(crate) fn price_discards_batch(py: Python<'_>, hands: Masks) -> PyResult<Bound<'_, PyBytes>> {
    let out = hands.solve(py, 11, |_, mask, out| {
        let prices = ginrummy_engine::price_discards(eleven(mask)?, None);
        out.extend(prices.iter().map(|priced| byte(priced.deadwood_points)));
        Ok(())
    })?;
    Ok(PyBytes::new(py, &out))
}

#[pyfunction]
pub(crate) fn arrangement_batch(py: Python<'_>, hands: Masks) -> PyResult<Bound<'_, PyBytes>> {
    let out = hands.solve(py, 24, |_, mask, out| {
        let melds = ginrummy_engine::best_arrangement(hand(mask)?).melds;
        for at in 0..3 {
            let mask = melds.get(at).map_or(0, |meld| meld.cards().mask());
            out.extend(mask.to_le_bytes());
        }
        Ok(())
    })?;
    Ok(PyBytes::new(py, &out))
}

/// No card, or no deadwood, in a column of bytes.
const NONE: u8 = u8::MAX;

/// Bits of barred cards, a byte a row; none for no row at all.
struct Barred(Vec<u8>);

impl Barred {
    fn read(py: Python<'_>, column: Option<&Bound<'_, PyAny>>, rows: usize) -> PyResult<Self> {
        let Some(column) = column else {
            return Ok(Self(Vec::new()));
        };
        let Ok(bytes) = PyBuffer::<u8>::get(column) else {
            return Err(wrong_type("a buffer of bytes", column));
        };
        let bytes = contiguous(py, &bytes)?;
        if bytes.len() != rows {
            let message = format!("{} barred cards beside {rows} hands", bytes.len());
            return Err(engine_error(py, message));
        }
        Ok(Self(bytes))
    }

    fn of_row(&self, index: usize, hand: CardSet) -> Result<Option<Card>, (&'static str, String)> {
        let Some(bit) = self.0.get(index).filter(|bit| **bit != NONE) else {
            return Ok(None);
        };
        match Card::from_index(*bit) {
            None => Err(("barred_no_card", format!("there is no card of bit {bit}"))),
            Some(card) if hand.contains(card) => Ok(Some(card)),
            Some(card) => {
                let problem = format!("{card} is not among the cards of the hand");
                Err(("barred_elsewhere", problem))
            }
        }
    }
}

/// What is told of many hands: a column for each answer.
struct Solved {
    deadwood: Vec<u8>,
    best_discards: Vec<u8>,
    deadwood_after: Vec<u8>,
    melded: Vec<u8>,
    /// Rows that could not be read: the index, what kind of thing is wrong, and the words for it.
    problems: Vec<(usize, &'static str, String)>,
}

impl Solved {
    fn of(hands: &[u64], barred: &Barred, most_problems: usize) -> Self {
        let mut solved = Self {
            deadwood: Vec::with_capacity(hands.len()),
            best_discards: Vec::with_capacity(hands.len()),
            deadwood_after: Vec::with_capacity(hands.len()),
            melded: Vec::with_capacity(hands.len() * 8),
            problems: Vec::new(),
        };
        for (index, mask) in hands.iter().enumerate() {
            let read = cards(*mask).map_err(|problem| ("no_card", problem));
            let read = read.and_then(|_| hand(*mask).map_err(|problem| ("too_many", problem)));
            match read.and_then(|hand| Ok((hand, barred.of_row(index, hand)?))) {
                Ok((hand, barred)) => solved.add(hand, barred),
                Err((kind, problem)) => {
                    solved.push(NONE, NONE, NONE, 0);
                    if solved.problems.len() < most_problems {
                        solved.problems.push((index, kind, problem));
                    }
                }
            }
        }
        solved
    }

    fn add(&mut self, hand: CardSet, barred: Option<Card>) {
        let arrangement = ginrummy_engine::best_arrangement(hand);
        let best = (hand.len() == 11).then(|| ginrummy_engine::best_discard(hand, barred));
        self.push(
            byte(arrangement.deadwood_points),
            best.map_or(NONE, |best| best.card.index()),
            best.map_or(NONE, |best| byte(best.deadwood_points)),
            (hand - arrangement.deadwood).mask(),
        );
    }

    fn push(&mut self, deadwood: u8, best_discard: u8, deadwood_after: u8, melded: u64) {
        self.deadwood.push(deadwood);
        self.best_discards.push(best_discard);
        self.deadwood_after.push(deadwood_after);
        self.melded.extend(melded.to_le_bytes());
    }
}

type Columns<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Vec<(usize, &'static str, String)>,
);

#[pyfunction]
#[pyo3(
    signature = (hands, barred = None, most_problems = Number(100)),
    text_signature = "(hands, barred=None, most_problems=100)"
)]
pub(crate) fn solve_batch<'py>(
    py: Python<'py>,
    hands: Masks,
    barred: Option<&Bound<'py, PyAny>>,
    most_problems: Number<usize>,
) -> PyResult<Columns<'py>> {
    let barred = Barred::read(py, barred, hands.0.len())?;
    let solved = py.detach(|| Solved::of(&hands.0, &barred, most_problems.0));
    Ok((
        PyBytes::new(py, &solved.deadwood),
        PyBytes::new(py, &solved.best_discards),
        PyBytes::new(py, &solved.deadwood_after),
        PyBytes::new(py, &solved.melded),
        solved.problems,
    ))
}

#[pyfunction]
pub(crate) fn defence_batch(
    py: Python<'_>,
    knocker_melds: Masks,
    defenders: Masks,
) -> PyResult<Bound<'_, PyBytes>> {
    let (melds, rest) = knocker_melds.0.as_chunks::<3>();
    if melds.len() != defenders.0.len() || !rest.is_empty() {
        let message = format!(
            "{} masks of melds beside {} defenders: three a defender, 0 for none",
            knocker_melds.0.len(),
            defenders.0.len()
        );
        return Err(engine_error(py, message));
    }
    let out = defenders.solve(py, 1, |index, mask, out| {
        let groups: Vec<CardSet> = melds[index]
            .iter()
            .filter(|mask| **mask != 0)
            .map(|mask| cards(*mask))
            .collect::<Result<_, _>>()?;
        let defender = cards(mask)?;
        let melds = knockers_melds(&groups, defender).map_err(|error| error.to_string())?;
        out.push(byte(ginrummy_engine::deadwood_after_layoffs(
            &melds, defender,
        )));
        Ok(())
    })?;
    Ok(PyBytes::new(py, &out))
}
