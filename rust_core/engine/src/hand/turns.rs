//! What happened in a hand so far, as everybody at the table saw it.

use arrayvec::ArrayVec;

use crate::action::Pile;
use crate::card::Card;
use crate::seat::Seat;

/// One turn of a seat, or its pass: what it was offered, what it drew, what it put down.
///
/// A card drawn from the stock is not told: nobody else saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    pub seat: Seat,
    /// The pile's top card, where it could be taken.
    pub offered: Option<Card>,
    /// `None`: passed, and the offered card was left.
    pub drew: Option<Pile>,
    /// `None` until the turn is over.
    pub discarded: Option<Card>,
}

/// Only exchanges of pile cards make a hand longer: then the oldest turns are forgotten.
const LONGEST: usize = 64;

/// The turns of a hand, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Turns(ArrayVec<Turn, LONGEST>);

impl Turns {
    pub(super) fn as_slice(&self) -> &[Turn] {
        &self.0
    }

    pub(super) fn begin(&mut self, seat: Seat, offered: Option<Card>, drew: Option<Pile>) {
        self.push(Turn {
            seat,
            offered,
            drew,
            discarded: None,
        });
    }

    /// Ends the seat's turn; one that nobody saw begin, in a hand set up, is noted by its end alone.
    pub(super) fn end(&mut self, seat: Seat, drew: Option<Pile>, discarded: Card) {
        match self.0.last_mut() {
            Some(turn) if turn.seat == seat && turn.drew.is_some() && turn.discarded.is_none() => {
                turn.discarded = Some(discarded);
            }
            _ => self.push(Turn {
                seat,
                offered: None,
                drew,
                discarded: Some(discarded),
            }),
        }
    }

    fn push(&mut self, turn: Turn) {
        if self.0.is_full() {
            self.0.remove(0);
        }
        self.0.push(turn);
    }
}
