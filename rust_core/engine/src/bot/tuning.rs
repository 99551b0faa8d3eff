//! Numbers inside the bots, for the programs that fit and tune them.

use super::belief::{self, Belief};
use super::dice::Dice;
use crate::card_set::CardSet;
use crate::view::SeatView;

/// How many things are looked at in a hand that the opponent may hold.
pub const FEATURES: usize = belief::FEATURES;
/// What each of them counts.
pub const WEIGHTS: [f32; FEATURES] = belief::WEIGHTS;

/// The hands that the opponent may hold, by weights of one's own.
pub struct Opponents {
    belief: Belief,
    dice: Dice,
}

impl Opponents {
    #[must_use]
    pub fn new(view: &SeatView<'_>, weights: &[f32; FEATURES], seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        Self {
            belief: Belief::weighted(view, weights, &mut dice),
            dice,
        }
    }

    /// What the weights are of.
    #[must_use]
    pub fn features(&self, hand: CardSet) -> [f32; FEATURES] {
        self.belief.features(hand)
    }

    pub fn next_hand(&mut self) -> CardSet {
        self.belief.next_hand(&mut self.dice)
    }
}
