//! The ways to take sets out of a hand before its runs are looked at.

use crate::tables::{of_ranks, ranks_in, ranks_of_three};

/// Which sets a hand may hold, as masks of 52 bits.
///
/// A set none of whose cards has another use is taken at once. Every other rank with three cards
/// is contested: no set, the set of all its cards, or of four cards each set of three.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetChoices {
    /// The hand without the sets taken at once.
    open: u64,
    /// Ranks to choose a set of or not.
    contested: u64,
    /// Cards that a set of three may leave out of four.
    spared: u64,
}

impl SetChoices {
    /// The choices that can leave least deadwood, when the cards in `useful` are those that
    /// something other than a set could take.
    pub(crate) const fn of(hand: u64, useful: u64) -> Self {
        let ranks = ranks_of_three(hand);
        let contested = ranks & ranks_in(useful);
        Self {
            open: hand & !of_ranks(ranks ^ contested),
            contested,
            spared: useful,
        }
    }

    /// The choices that can be best after one discard of eleven cards. The discard may come out of
    /// a set of four, but never out of a set of three that is taken at once: eight other cards hold
    /// deadwood, or a meld of four cards that can spare either end.
    pub(crate) const fn of_discard(hand: u64, useful: u64) -> Self {
        let ranks = ranks_of_three(hand);
        let fours = hand & hand >> 13 & hand >> 26 & hand >> 39;
        let contested = ranks & (ranks_in(useful) | fours);
        Self {
            open: hand & !of_ranks(ranks ^ contested),
            contested,
            spared: u64::MAX,
        }
    }

    /// Gives the cards outside the sets, once for each choice.
    #[inline]
    pub(crate) fn for_each(self, mut visit: impl FnMut(u64)) {
        // Most hands leave no choice: this much is worth having in line.
        if self.contested == 0 {
            visit(self.open);
        } else {
            self.visit_all(&mut visit);
        }
    }

    fn visit_all(self, visit: &mut impl FnMut(u64)) {
        if self.contested == 0 {
            return visit(self.open);
        }
        let rank = self.contested & self.contested.wrapping_neg();
        let column = of_ranks(rank);
        let cards = self.open & column;
        let next = Self {
            contested: self.contested ^ rank,
            ..self
        };
        next.visit_all(visit);
        Self {
            open: self.open ^ cards,
            ..next
        }
        .visit_all(visit);
        if cards == column {
            let mut left_out = cards & self.spared;
            while left_out != 0 {
                let card = left_out & left_out.wrapping_neg();
                Self {
                    open: self.open ^ cards ^ card,
                    ..next
                }
                .visit_all(visit);
                left_out ^= card;
            }
        }
    }
}
