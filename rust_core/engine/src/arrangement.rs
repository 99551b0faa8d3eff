//! The melds chosen for a hand.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use crate::card_set::CardSet;
use crate::deadwood::deadwood;
use crate::meld::{Meld, MeldKind};
use crate::set_choices::SetChoices;
use crate::tables::{column_of, in_rows, points_outside_rows, row_from};

/// The melds of an arrangement: eleven cards hold at most three.
pub type Melds = ArrayVec<Meld, 3>;

/// A hand split into melds and deadwood.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrangement {
    /// In card order of their first cards.
    pub melds: Melds,
    /// The cards outside the melds.
    pub deadwood: CardSet,
    /// What those cards count.
    pub deadwood_points: u32,
}

impl Arrangement {
    /// These melds of this hand; what they leave is deadwood.
    pub(crate) fn of(hand: CardSet, melds: Melds) -> Self {
        let melded = melds
            .iter()
            .fold(CardSet::EMPTY, |all, meld| all | meld.cards());
        let deadwood = hand - melded;
        Self {
            melds,
            deadwood,
            deadwood_points: deadwood.points(),
        }
    }
}

/// The arrangement of least deadwood that the engine picks: among equals the least points of
/// exposed cards, then the fewest melds, then card order.
///
/// # Panics
/// With more than eleven cards.
///
/// ```
/// use ginrummy_engine::{CardSet, best_arrangement};
/// // 5D serves the run or the fives, and ten points are left either way. The run would expose
/// // 3D and 7D, the fives expose 5C alone.
/// let hand: CardSet = "4D 5D 6D 5H 5S".parse().unwrap();
/// let arrangement = best_arrangement(hand);
/// assert_eq!(arrangement.melds[0].to_string(), "5D 5H 5S");
/// assert_eq!((arrangement.deadwood.to_string(), arrangement.deadwood_points), ("4D 6D".into(), 10));
/// ```
#[must_use]
pub fn best_arrangement(hand: CardSet) -> Arrangement {
    assert!(hand.len() <= 11, "a hand has at most eleven cards: {hand}");
    let mut best = (u32::MAX, 0);
    SetChoices::of(hand.mask(), in_rows(hand.mask())).for_each(|open| {
        let points = points_outside_rows(open);
        let preferred = |other| {
            preference(hand, &melds_of(hand, open)) < preference(hand, &melds_of(hand, other))
        };
        if points < best.0 || (points == best.0 && preferred(best.1)) {
            best = (points, open);
        }
    });
    let (deadwood_points, open) = best;
    let deadwood = CardSet::from_mask_truncated(open & !in_rows(open));
    Arrangement {
        melds: melds_of(hand, open),
        deadwood,
        deadwood_points,
    }
}

/// All arrangements of least deadwood, the one the engine picks first: see [`best_arrangement`].
///
/// # Panics
/// With more than eleven cards.
///
/// ```
/// use ginrummy_engine::{CardSet, minimal_arrangements};
/// let hand: CardSet = "AH 2H 3H 4H 5H 6H".parse().unwrap();
/// let runs: Vec<_> = minimal_arrangements(hand).iter().map(|a| a.melds.len()).collect();
/// assert_eq!(runs, [1, 2], "one run of six, or two of three");
/// ```
#[must_use]
pub fn minimal_arrangements(hand: CardSet) -> Vec<Arrangement> {
    assert!(hand.len() <= 11, "a hand has at most eleven cards: {hand}");
    let least = deadwood(hand);
    let mut found = Vec::new();
    SetChoices::of(hand.mask(), in_rows(hand.mask())).for_each(|open| {
        if points_outside_rows(open) == least {
            found.extend(with_runs_cut(melds_of(hand, open)));
        }
    });
    found.sort_by_cached_key(|melds| preference(hand, melds));
    found
        .into_iter()
        .map(|melds| Arrangement::of(hand, melds))
        .collect()
}

/// The sets and the whole rows of a hand of which these cards are outside the sets, in card order
/// of their first cards.
fn melds_of(hand: CardSet, open: u64) -> Melds {
    let mut melds = Melds::new();
    let sets = hand.mask() ^ open;
    let mut left = sets | in_rows(open);
    while left != 0 {
        let first = left & left.wrapping_neg();
        let cards = if sets & first != 0 {
            sets & column_of(first)
        } else {
            row_from(first, left & open)
        };
        melds.push(Meld::trusted(CardSet::from_mask_truncated(cards)));
        left ^= cards;
    }
    melds
}

/// What decides among melds of equal deadwood, the least preferred: the points of the cards outside
/// the hand that could be laid off on them, each once; their number; card order.
fn preference(hand: CardSet, melds: &Melds) -> (u32, usize, Melds) {
    let fitting = melds
        .iter()
        .fold(CardSet::EMPTY, |all, meld| all | meld.extensions());
    ((fitting - hand).points(), melds.len(), melds.clone())
}

/// These melds, and all that come of them by cutting runs in two or more.
fn with_runs_cut(melds: Melds) -> Vec<Melds> {
    let mut found = vec![melds];
    let mut next = 0;
    while next < found.len() {
        let whole = found[next].clone();
        for (at, run) in whole
            .iter()
            .enumerate()
            .filter(|(_, meld)| meld.kind() == MeldKind::Run)
        {
            for lower_len in 3..=run.cards().len().saturating_sub(3) {
                let lower: CardSet = run.cards().into_iter().take(lower_len).collect();
                let mut cut = whole.clone();
                cut[at] = Meld::trusted(lower);
                cut.insert(at + 1, Meld::trusted(run.cards() - lower));
                if !found.contains(&cut) {
                    found.push(cut);
                }
            }
        }
        next += 1;
    }
    found
}
