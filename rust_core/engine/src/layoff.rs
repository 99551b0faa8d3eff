//! Layoffs: the defender's melds and layoffs chosen together.

use std::cmp::Reverse;

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use crate::arrangement::{Arrangement, Melds, best_arrangement};
use crate::card::Card;
use crate::card_set::CardSet;
use crate::meld::{Meld, MeldKind};
use crate::set_choices::SetChoices;
use crate::tables::{in_rows, neighbours, points_outside_rows};

/// One deadwood card laid off on one of the knocker's melds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layoff {
    /// The defender's card.
    pub card: Card,
    /// Index into the knocker's melds.
    pub meld_index: usize,
}

/// Layoffs in an order in which each fits; a defender holds ten cards.
pub type Layoffs = ArrayVec<Layoff, 10>;

/// What the defender does after a knock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Defence {
    /// In an order in which each fits.
    pub layoffs: Layoffs,
    /// The defender's cards without those laid off.
    pub arrangement: Arrangement,
}

/// The part of a knock and its defence that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpreadPart {
    /// One of the knocker's melds, by its index.
    Meld(usize),
    /// The knocker's melds together.
    Melds,
    Defender,
}

/// Melds and a defender's hand that cannot meet after a knock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct InvalidSpread {
    pub part: SpreadPart,
    pub problem: String,
}

/// The knocker's melds from their cards, checked beside the defender's hand.
///
/// # Errors
/// [`InvalidSpread`] with the part that cannot be.
///
/// ```
/// use ginrummy_engine::{CardSet, SpreadPart, knockers_melds};
/// let cards = |text: &str| text.parse::<CardSet>().unwrap();
/// let refused = knockers_melds(&[cards("4H 5H 6H")], cards("6H 8H")).unwrap_err();
/// assert_eq!(refused.part, SpreadPart::Meld(0));
/// assert_eq!(refused.to_string(), "6H comes twice: each card is in one place");
/// ```
pub fn knockers_melds(groups: &[CardSet], defender: CardSet) -> Result<Melds, InvalidSpread> {
    let refused = |part, problem| Err(InvalidSpread { part, problem });
    if groups.len() > 3 {
        let problem = "a hand holds at most three melds".to_owned();
        return refused(SpreadPart::Melds, problem);
    }
    if defender.len() > 10 {
        let problem = format!("{} cards: a defender holds ten", defender.len());
        return refused(SpreadPart::Defender, problem);
    }
    let mut used = defender;
    let mut melds = Melds::new();
    for (index, group) in groups.iter().enumerate() {
        let part = SpreadPart::Meld(index);
        let meld = match Meld::try_from(*group) {
            Ok(meld) => meld,
            Err(error) => return refused(part, error.to_string()),
        };
        if let Some(card) = (*group & used).first() {
            let problem = format!("{card} comes twice: each card is in one place");
            return refused(part, problem);
        }
        used |= *group;
        melds.push(meld);
    }
    let melded = (used - defender).len();
    if melded > 11 {
        let problem = format!("{melded} cards in melds: a knocker holds at most eleven");
        return refused(SpreadPart::Melds, problem);
    }
    Ok(melds)
}

/// The defender's least deadwood points when melds and layoffs are chosen together.
///
/// # Panics
/// With more than eleven cards.
///
/// ```
/// use ginrummy_engine::{CardSet, Meld, deadwood_after_layoffs};
/// let cards = |text: &str| text.parse::<CardSet>().unwrap();
/// let knocker = [Meld::try_from(cards("4H 5H 6H")).unwrap()];
/// // 7H goes first, which opens the way for 8H.
/// assert_eq!(deadwood_after_layoffs(&knocker, cards("7H 8H KS AC 2D")), 13);
/// ```
#[must_use]
pub fn deadwood_after_layoffs(knocker_melds: &[Meld], defender: CardSet) -> u32 {
    assert!(
        defender.len() <= 11,
        "a hand has at most eleven cards: {defender}"
    );
    let fits = Fits::of(knocker_melds);
    let mut least = u32::MAX;
    fits.choices(defender).for_each(|open| {
        let loose = loose_cards(open);
        least = least.min(points_outside_rows(loose & !fits.laid_off(loose)));
    });
    least
}

/// The joint optimum: least deadwood, then the fewest layoffs, then the smallest list of laid-off
/// cards in card order, each on its lowest meld index; the rest arranged by
/// [`best_arrangement`](crate::best_arrangement).
///
/// # Panics
/// With more than three melds or more than eleven cards.
///
/// ```
/// use ginrummy_engine::{CardSet, Meld, best_defence};
/// let cards = |text: &str| text.parse::<CardSet>().unwrap();
/// let knocker = [Meld::try_from(cards("4H 5H 6H")).unwrap()];
/// let defence = best_defence(&knocker, cards("7H 8H KS AC 2D"));
/// let laid_off: Vec<_> = defence.layoffs.iter().map(|l| l.card.to_string()).collect();
/// assert_eq!(laid_off, ["7H", "8H"]);
/// assert_eq!(defence.arrangement.deadwood_points, 13);
/// ```
#[must_use]
pub fn best_defence(knocker_melds: &[Meld], defender: CardSet) -> Defence {
    assert!(
        defender.len() <= 11,
        "a hand has at most eleven cards: {defender}"
    );
    let fits = Fits::of(knocker_melds);
    let mut best = (u32::MAX, 0, Reverse(0));
    fits.choices(defender).for_each(|open| {
        let loose = loose_cards(open);
        let laid_off = fits.laid_off(loose);
        let points = points_outside_rows(loose & !laid_off);
        // Of two equally long lists the smaller one has the lowest card in which they differ.
        best = best.min((
            points,
            laid_off.count_ones(),
            Reverse(laid_off.reverse_bits()),
        ));
    });
    let laid_off = CardSet::from_mask_truncated(best.2.0.reverse_bits());
    Defence {
        layoffs: on_lowest_melds(knocker_melds, laid_off, &mut Layoffs::new())
            .expect("each laid-off card continues a row beside a run or completes a set"),
        arrangement: best_arrangement(defender - laid_off),
    }
}

/// What the knocker's melds take.
#[derive(Clone, Copy, Debug)]
struct Fits {
    /// The cards next to those of his runs; his own may be among them.
    beyond_runs: u64,
    /// The fourth cards of his sets of three.
    fourths: u64,
}

impl Fits {
    fn of(knocker_melds: &[Meld]) -> Self {
        let mut fits = Self {
            beyond_runs: 0,
            fourths: 0,
        };
        for meld in knocker_melds {
            match meld.kind() {
                MeldKind::Set => fits.fourths |= meld.extensions().mask(),
                MeldKind::Run => fits.beyond_runs |= neighbours(meld.cards().mask()),
            }
        }
        fits
    }

    /// The defender's sets worth considering: a card is useful beyond a set in a run or laid off.
    fn choices(self, defender: CardSet) -> SetChoices {
        let cards = defender.mask();
        SetChoices::of(cards, in_rows(cards) | self.laid_off(loose_cards(cards)))
    }

    /// Which of the loose cards are laid off: those that fit a set of three, and whole rows beside a run.
    ///
    /// Loose cards stand in rows of one or two, so that two steps from a run reach the last.
    fn laid_off(self, loose: u64) -> u64 {
        let beside_runs = loose & self.beyond_runs;
        loose & (beside_runs | neighbours(beside_runs) | self.fourths)
    }
}

/// The cards that make no run. The others cost nothing where they are, and are not laid off.
const fn loose_cards(open: u64) -> u64 {
    open & !in_rows(open)
}

/// Each laid-off card on its lowest meld index, in an order in which each fits.
///
/// The lowest index is not always free: where 6H fits a set and begins the way of 7H on a run, it
/// goes on the run. Hence the indices are tried card by card until all fit.
fn on_lowest_melds(knocker_melds: &[Meld], left: CardSet, chosen: &mut Layoffs) -> Option<Layoffs> {
    let Some(card) = left.first() else {
        return in_playable_order(knocker_melds, chosen.clone());
    };
    for (meld_index, meld) in knocker_melds.iter().enumerate() {
        let could_fit = match meld.kind() {
            MeldKind::Set => meld.extensions().contains(card),
            MeldKind::Run => meld
                .cards()
                .first()
                .is_some_and(|first| first.suit() == card.suit()),
        };
        if could_fit {
            chosen.push(Layoff { card, meld_index });
            if let Some(ordered) = on_lowest_melds(knocker_melds, left.without(card), chosen) {
                return Some(ordered);
            }
            chosen.pop();
        }
    }
    None
}

/// Again and again the first layoff of the list that fits its meld as it has grown; none when some
/// never fit.
fn in_playable_order(knocker_melds: &[Meld], mut left: Layoffs) -> Option<Layoffs> {
    let mut melds: Melds = knocker_melds.iter().copied().collect();
    let mut ordered = Layoffs::new();
    while !left.is_empty() {
        let (at, grown) = left
            .iter()
            .enumerate()
            .find_map(|(at, layoff)| Some((at, melds[layoff.meld_index].extended(layoff.card)?)))?;
        let layoff = left.remove(at);
        melds[layoff.meld_index] = grown;
        ordered.push(layoff);
    }
    Some(ordered)
}
