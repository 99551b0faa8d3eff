//! Which cards the opponent may hold: hands drawn in proportion to how likely they are.
//!
//! A hand's likelihood is an exponential of weighted features of it beside what he took, left and
//! discarded. A Markov chain swaps one card he may hold for one in the stock at a time and so
//! visits hands in that proportion; each visit costs a few tens of nanoseconds.

use super::chances::{Sight, completing};
use super::dice::Dice;
use crate::card::Card;
use crate::card_set::CardSet;
use crate::deadwood::deadwood;
use crate::tables::{in_rows, neighbours, of_ranks, ranks_of_three, shifted_down, shifted_up};
use crate::view::SeatView;

/// What is looked at in a hand that the opponent may hold.
pub(super) const FEATURES: usize = 20;
/// His turns so far, in classes.
const TURN_CLASSES: usize = 6;

/// Weights of the features, in the order of [`Belief::features`].
pub(super) type Weights = [f32; FEATURES];

/// Fitted to hands of several bots: the weights that make what they really held most likely.
pub(super) const WEIGHTS: Weights = [
    0.03, -0.004, -0.062, -0.159, -0.247, -0.378, // deadwood, by his turns so far
    -1.37, -0.70, // could have knocked
    0.054, -0.027, // completing cards
    -0.61, -0.448, -0.21, // beside his discards
    -1.68, -1.07, // completed by what he left
    -1.82, // known cards without a meld
    0.086, 0.56, // cards outside melds
    -0.62, -2.0, // high ones among them
];

/// Tens and court cards.
const HIGH: u64 = of_ranks(0b1_1110_0000_0000);

/// Steps before the first hand is taken, and between two.
const WARM_UP: usize = 300;
const STRIDE: usize = 24;

/// What one seat can tell of the cards it does not see.
#[derive(Clone, Debug)]
pub(super) struct Belief {
    known: CardSet,
    /// The hidden cards: the first `missing` are his at the moment, the others the stock.
    hidden: Vec<Card>,
    missing: usize,
    stock_len: usize,
    weights: Weights,
    turn_class: usize,
    has_discarded: bool,
    knock_limit: u32,
    /// How strongly each card is tied to what he discarded: of its rank, next to it, one further.
    beside: [[f32; 3]; 52],
    /// The same weighted.
    leaning: [f32; 52],
    left: CardSet,
    left_last: CardSet,
    hand: CardSet,
    log_likelihood: f32,
}

impl Belief {
    #[must_use]
    pub(super) fn new(view: &SeatView<'_>, dice: &mut Dice) -> Self {
        Self::weighted(view, &WEIGHTS, dice)
    }

    /// With weights of one's own.
    pub(super) fn weighted(view: &SeatView<'_>, weights: &Weights, dice: &mut Dice) -> Self {
        let sight = Sight::of(view);
        let mut hidden: Vec<Card> = sight.hidden.into_iter().collect();
        dice.shuffle(&mut hidden);
        let mut belief = Self {
            known: sight.known,
            missing: view.count_of_opponent() - sight.known.len(),
            hidden,
            stock_len: view.stock_len(),
            weights: *weights,
            turn_class: 0,
            has_discarded: false,
            knock_limit: view.knock_limit(),
            beside: [[0.0; 3]; 52],
            leaning: [0.0; 52],
            left: CardSet::EMPTY,
            left_last: CardSet::EMPTY,
            hand: CardSet::EMPTY,
            log_likelihood: 0.0,
        };
        belief.read_turns(view);
        belief.hand = belief.known | belief.hidden[..belief.missing].iter().copied().collect();
        belief.log_likelihood = belief.log_likelihood_of(belief.hand);
        for _ in 0..WARM_UP {
            belief.step(dice);
        }
        belief
    }

    fn read_turns(&mut self, view: &SeatView<'_>) {
        let mut discards = 0;
        for turn in view.turns().iter().filter(|turn| turn.seat != view.seat()) {
            if let Some(offered) = turn
                .offered
                .filter(|_| turn.drew != Some(crate::action::Pile::Discard))
            {
                self.left.insert(offered);
                self.left_last = CardSet::single(offered);
            } else {
                self.left_last = CardSet::EMPTY;
            }
            let Some(card) = turn.discarded else { continue };
            discards += 1;
            let bit = CardSet::single(card).mask();
            let far = shifted_up(shifted_up(bit)) | shifted_down(shifted_down(bit));
            let near = [CardSet::of_rank(card.rank()).mask(), neighbours(bit), far];
            for (kind, mask) in near.into_iter().enumerate() {
                for other in CardSet::from_mask_truncated(mask) {
                    self.beside[usize::from(other.index())][kind] += 1.0;
                }
            }
        }
        if view.turns().is_empty() {
            // A position that was set up: about so many turns have been taken.
            discards = (31 - view.stock_len().min(31)) / 2;
        }
        self.has_discarded = discards > 0;
        self.turn_class = match discards {
            0 => 0,
            1 | 2 => 1,
            3 | 4 => 2,
            5..=7 => 3,
            8..=10 => 4,
            _ => 5,
        };
        for (leaning, beside) in self.leaning.iter_mut().zip(&self.beside) {
            *leaning = (0..3)
                .map(|kind| self.weights[10 + kind] * beside[kind])
                .sum();
        }
    }

    /// The features of a hand, in the order of the weights.
    #[cfg(feature = "tuning")]
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "counts of cards are small")]
    pub(super) fn features(&self, hand: CardSet) -> [f32; FEATURES] {
        let mut features = self.features_but_leaning(hand);
        for card in hand - self.known {
            for (kind, beside) in self.beside[usize::from(card.index())].iter().enumerate() {
                features[10 + kind] += beside;
            }
        }
        features
    }

    #[allow(clippy::cast_precision_loss, reason = "counts of cards are small")]
    fn features_but_leaning(&self, hand: CardSet) -> [f32; FEATURES] {
        let mut features = [0.0; FEATURES];
        let points = deadwood(hand);
        features[self.turn_class.min(TURN_CLASSES - 1)] = points as f32;
        if self.has_discarded && points <= self.knock_limit {
            features[6 + usize::from(self.turn_class > 2)] = if points == 0 { 4.0 } else { 1.0 };
        }
        let completing = completing(hand);
        let count = completing.len() as f32;
        features[8 + usize::from(self.turn_class > 2)] = count;
        features[13] = (completing & self.left_last).len() as f32;
        features[14] = (completing & (self.left - self.left_last)).len() as f32;
        let melded = in_rows(hand.mask()) | (hand.mask() & of_ranks(ranks_of_three(hand.mask())));
        features[15] = (self.known.mask() & !melded).count_ones() as f32;
        let loose = hand.mask() & !melded;
        let late = usize::from(self.turn_class > 2);
        features[16 + late] = loose.count_ones() as f32;
        features[18 + late] = (loose & HIGH).count_ones() as f32;
        features
    }

    fn log_likelihood_of(&self, hand: CardSet) -> f32 {
        let features = self.features_but_leaning(hand);
        let weighted: f32 = features.iter().zip(&self.weights).map(|(f, w)| f * w).sum();
        let leaning: f32 = (hand - self.known)
            .into_iter()
            .map(|card| self.leaning[usize::from(card.index())])
            .sum();
        weighted + leaning
    }

    fn step(&mut self, dice: &mut Dice) {
        let others = self.hidden.len() - self.missing;
        if self.missing == 0 || others == 0 {
            return;
        }
        let (mine, other) = (dice.below(self.missing), self.missing + dice.below(others));
        let hand = self
            .hand
            .without(self.hidden[mine])
            .with(self.hidden[other]);
        let log_likelihood = self.log_likelihood_of(hand);
        let gain = log_likelihood - self.log_likelihood;
        if gain >= 0.0 || dice.fraction() < gain.exp() {
            self.hidden.swap(mine, other);
            self.hand = hand;
            self.log_likelihood = log_likelihood;
        }
    }

    /// Moves on to another hand that he may hold.
    pub(super) fn next_hand(&mut self, dice: &mut Dice) -> CardSet {
        for _ in 0..STRIDE {
            self.step(dice);
        }
        self.hand
    }

    /// The cards that lie in the stock when he holds the latest hand, in some order. Of more that are
    /// hidden, as a knock card is that lies face down, some are left out.
    pub(super) fn stock(&self, dice: &mut Dice) -> Vec<Card> {
        let mut stock = self.hidden[self.missing..].to_vec();
        dice.shuffle(&mut stock);
        stock.truncate(self.stock_len);
        stock
    }
}
