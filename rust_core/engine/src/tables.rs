//! What a suit's cards are worth by runs alone, looked up by their thirteen bits.
//!
//! A row of three or more neighbouring cards leaves nothing when it is one run, and cutting it
//! never leaves less. So once the sets of a hand are chosen, its runs are the rows of what is left.

use crate::card::Rank;
use crate::card_set::CardSet;

/// The number of different card sets of one suit.
const SUIT_SETS: usize = 1 << Rank::COUNT;
const SUIT_BITS: u64 = (1 << Rank::COUNT) - 1;

/// The four cards of the lowest rank; times a mask of ranks, all cards of those ranks.
const COLUMN: u64 = CardSet::of_rank(Rank::Ace).mask();
const ACES: u64 = COLUMN;
const KINGS: u64 = CardSet::of_rank(Rank::King).mask();
/// Where a run may begin: ace to jack.
const RUN_STARTS: u64 = CardSet::ALL.mask()
    & !(CardSet::of_rank(Rank::Queen).mask() | CardSet::of_rank(Rank::King).mask());

/// All cards of these ranks (bit 0 the aces, bit 12 the kings).
pub(crate) const fn of_ranks(ranks: u64) -> u64 {
    ranks * COLUMN
}

/// The ranks of which the set holds a card.
pub(crate) const fn ranks_in(cards: u64) -> u64 {
    (cards | cards >> 13 | cards >> 26 | cards >> 39) & SUIT_BITS
}

/// The ranks of which the set holds three cards or four.
pub(crate) const fn ranks_of_three(cards: u64) -> u64 {
    let (clubs, diamonds, hearts, spades) = (cards, cards >> 13, cards >> 26, cards >> 39);
    (clubs & diamonds & (hearts | spades) | hearts & spades & (clubs | diamonds)) & SUIT_BITS
}

/// The cards that stand in a row of three or more neighbours.
pub(crate) const fn in_rows(cards: u64) -> u64 {
    let starts = cards & cards >> 1 & cards >> 2 & RUN_STARTS;
    starts | starts << 1 | starts << 2
}

/// All four cards of this card's rank.
pub(crate) const fn column_of(card: u64) -> u64 {
    of_ranks(ranks_in(card))
}

/// The whole row of neighbours that begins with this card.
pub(crate) const fn row_from(first: u64, cards: u64) -> u64 {
    let suit = SUIT_BITS << (first.trailing_zeros() / 13 * 13);
    let cards = cards & suit;
    cards & !(cards + first)
}

/// The cards of the next higher rank in their suits.
pub(crate) const fn shifted_up(cards: u64) -> u64 {
    cards << 1 & !ACES & CardSet::ALL.mask()
}

/// The cards of the next lower rank in their suits.
pub(crate) const fn shifted_down(cards: u64) -> u64 {
    cards >> 1 & !KINGS
}

/// The cards next to these in their suits; some of these may be among them.
pub(crate) const fn neighbours(cards: u64) -> u64 {
    shifted_up(cards) | shifted_down(cards)
}

/// The cards of one suit (0 clubs to 3 spades) as an index into the tables.
#[allow(
    clippy::cast_possible_truncation,
    reason = "thirteen bits fit any usize"
)]
pub(crate) const fn suit_index(cards: u64, suit: u32) -> usize {
    (cards >> (suit * 13) & SUIT_BITS) as usize
}

/// Deadwood points of one suit's cards that are in no run, at most 85.
pub(crate) static OUTSIDE_RUNS: [u8; SUIT_SETS] = points_outside_runs();

/// The best discard of one suit's cards: `(gain + GAIN_BIAS) << 4 | rank`, 0 when there is none.
/// The gain, which may be negative, is by how much the points outside runs fall; among equal gains
/// the highest rank.
pub(crate) static BEST_GAIN: [u16; SUIT_SETS] = best_gains();

/// Keeps the entries positive: breaking a suit's run costs 85 points at most.
pub(crate) const GAIN_BIAS: u16 = 128;

/// Points of all the cards that neither a set nor a run takes, the sets being out already.
pub(crate) fn points_outside_rows(cards: u64) -> u32 {
    (0..4)
        .map(|suit| u32::from(OUTSIDE_RUNS[suit_index(cards, suit)]))
        .sum()
}

/// The gain of taking this rank out of this suit's cards, in the form of [`BEST_GAIN`].
#[allow(clippy::cast_possible_truncation, reason = "a rank is below 13")]
pub(crate) const fn gain_entry(outside_runs: &[u8; SUIT_SETS], index: usize, rank: u32) -> u16 {
    let gain = GAIN_BIAS + outside_runs[index] as u16 - outside_runs[index & !(1 << rank)] as u16;
    gain << 4 | rank as u16
}

#[allow(clippy::cast_possible_truncation, reason = "a suit is worth 85 points")]
const fn points_outside_runs() -> [u8; SUIT_SETS] {
    let mut points = [0; SUIT_SETS];
    let mut table = [0; SUIT_SETS];
    let mut index = 1;
    while index < SUIT_SETS {
        let lowest = index.trailing_zeros() as usize;
        points[index] = points[index & (index - 1)] + Rank::ALL[lowest].points() as u8;
        table[index] = points[index & !(in_rows(index as u64) as usize)];
        index += 1;
    }
    table
}

const fn best_gains() -> [u16; SUIT_SETS] {
    let outside_runs = points_outside_runs();
    let mut table = [0; SUIT_SETS];
    let mut index = 1usize;
    while index < SUIT_SETS {
        let mut rest = index;
        while rest != 0 {
            let entry = gain_entry(&outside_runs, index, rest.trailing_zeros());
            if entry > table[index] {
                table[index] = entry;
            }
            rest &= rest - 1;
        }
        index += 1;
    }
    table
}
