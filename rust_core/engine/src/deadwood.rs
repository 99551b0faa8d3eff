//! Least deadwood, and what each discard would leave.

use arrayvec::ArrayVec;
use serde::Serialize;

use crate::card::{Card, Rank, Suit};
use crate::card_set::CardSet;
use crate::set_choices::SetChoices;
use crate::tables::{
    BEST_GAIN, GAIN_BIAS, OUTSIDE_RUNS, gain_entry, in_rows, points_outside_rows, suit_index,
};

/// What one discard of an eleven-card hand would leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PricedDiscard {
    /// The card to discard.
    pub card: Card,
    /// Least deadwood points of the other ten cards.
    pub deadwood_points: u32,
}

/// Least deadwood points of all the given cards.
///
/// # Panics
/// With more than sixteen cards: the work grows without bound with the ranks that hold three.
///
/// ```
/// use ginrummy_engine::{CardSet, deadwood};
/// // 4S goes to the fours, for the run does without it: 6D 2C AD 3D are left.
/// let hand: CardSet = "AS 2S 3S 4S 4D 4H 6D 2C AD 3D".parse().unwrap();
/// assert_eq!(deadwood(hand), 12);
/// ```
#[must_use]
pub fn deadwood(hand: CardSet) -> u32 {
    assert!(
        hand.len() <= 16,
        "no hand of Gin Rummy has more than sixteen cards: {hand}"
    );
    least_deadwood(hand.mask())
}

/// [`deadwood`] of any number of cards.
#[inline]
fn least_deadwood(cards: u64) -> u32 {
    let mut least = u32::MAX;
    SetChoices::of(cards, in_rows(cards))
        .for_each(|open| least = least.min(points_outside_rows(open)));
    least
}

/// Each permitted discard of a hand of at most eleven cards with the least deadwood that it
/// leaves, in card order.
///
/// # Panics
/// With more than eleven cards.
///
/// ```
/// use ginrummy_engine::{CardSet, price_discards};
/// let hand: CardSet = "AS 2S 3S 8C 8D 8H TC JC QC KC 9D".parse().unwrap();
/// let prices = price_discards(hand, "9D".parse().ok());
/// assert_eq!(prices.len(), 10);
/// // 9D, just taken, stays: either end of the run of four is the best to go.
/// let ends = prices.iter().filter(|price| price.deadwood_points == 9);
/// assert_eq!(ends.map(|price| price.card.to_string()).collect::<Vec<_>>(), ["TC", "KC"]);
/// ```
#[must_use]
pub fn price_discards(hand: CardSet, barred: Option<Card>) -> ArrayVec<PricedDiscard, 11> {
    assert!(hand.len() <= 11, "a hand has at most eleven cards: {hand}");
    // One by one: a single pass over all set choices was measured, and is slower.
    let permitted = barred.map_or(hand, |card| hand.without(card));
    permitted
        .into_iter()
        .map(|card| PricedDiscard {
            card,
            deadwood_points: least_deadwood(hand.without(card).mask()),
        })
        .collect()
}

/// The best discard of an eleven-card hand: least deadwood left, then highest rank, then last
/// suit; never the barred card.
///
/// # Panics
/// Unless the hand has eleven cards.
///
/// ```
/// use ginrummy_engine::{CardSet, best_discard};
/// let hand: CardSet = "AS 2S 3S 8C 8D 8H TC JC QC KC 9D".parse().unwrap();
/// let best = best_discard(hand, None);
/// assert_eq!((best.card.to_string(), best.deadwood_points), ("9D".to_owned(), 0));
/// let best = best_discard(hand, Some(best.card));
/// assert_eq!((best.card.to_string(), best.deadwood_points), ("KC".to_owned(), 9));
/// ```
#[must_use]
pub fn best_discard(hand: CardSet, barred: Option<Card>) -> PricedDiscard {
    assert_eq!(
        hand.len(),
        11,
        "a discard leaves a hand of eleven cards: {hand}"
    );
    let mut best = 0;
    SetChoices::of_discard(hand.mask(), in_rows(hand.mask()))
        .for_each(|open| best = best.max(best_discard_outside_sets(open, barred)));
    let (rank, suit) = (best >> 2 & 15, best & 3);
    PricedDiscard {
        card: Card::new(Rank::ALL[rank as usize], Suit::ALL[suit as usize]),
        deadwood_points: NO_DEADWOOD - (best >> 6),
    }
}

/// More deadwood than a hand can have, so that less deadwood makes a greater key.
const NO_DEADWOOD: u32 = 1023;

/// The best discard among these cards, all the others being in sets: a key that grows as the
/// deadwood left falls, then with rank and suit.
fn best_discard_outside_sets(open: u64, barred: Option<Card>) -> u32 {
    let mut points = 0;
    let mut best = 0;
    for suit in 0..4 {
        let index = suit_index(open, suit);
        points += u32::from(OUTSIDE_RUNS[index]);
        let entry = match barred {
            Some(card) if card.suit() as u32 == suit => {
                best_gain_barring(index, card.rank() as u32)
            }
            _ => BEST_GAIN[index],
        };
        best = best.max(u32::from(entry) << 2 | suit);
    }
    best + ((NO_DEADWOOD - u32::from(GAIN_BIAS) - points) << 6)
}

/// The entry of [`BEST_GAIN`] when this rank may not be discarded.
fn best_gain_barring(index: usize, barred: u32) -> u16 {
    let best = BEST_GAIN[index];
    if u32::from(best & 15) != barred {
        return best;
    }
    let ranks =
        (0..u32::from(Rank::COUNT)).filter(|&rank| rank != barred && index >> rank & 1 == 1);
    ranks
        .map(|rank| gain_entry(&OUTSIDE_RUNS, index, rank))
        .max()
        .unwrap_or(0)
}
