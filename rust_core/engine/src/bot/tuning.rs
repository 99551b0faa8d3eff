//! Numbers inside the bots, for the programs that fit and tune them.

use super::belief::{self, Belief};
use super::dice::Dice;
use super::heuristic::{self, Style, Weight};
use crate::action::Action;
use crate::card_set::CardSet;
use crate::view::SeatView;

/// How many things are looked at in a hand that the opponent may hold.
pub const FEATURES: usize = belief::FEATURES;
/// What each of them counts.
pub const WEIGHTS: [f32; FEATURES] = belief::WEIGHTS;

/// A heuristic player with weights of one's own: of a chance, a danger, a known card, a take and a
/// knock, each early and late.
#[must_use]
pub fn decide_in_style(view: &SeatView<'_>, weights: &[f32; 10]) -> Option<Action> {
    let weight = |at: usize| Weight::new(weights[2 * at], weights[2 * at + 1]);
    let style = Style {
        chance: weight(0),
        danger: weight(1),
        known: weight(2),
        take: weight(3),
        knock: weight(4),
    };
    heuristic::decide(view, &style)
}

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
