//! A set or a run.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::card::Rank;
use crate::card_set::CardSet;

/// What kind of meld.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MeldKind {
    /// Three or four cards of one rank.
    Set,
    /// Three or more consecutive cards of one suit, ace low.
    Run,
}

/// Cards that form a set or a run; no other value exists.
///
/// ```
/// use ginrummy_engine::{CardSet, Meld, MeldKind};
/// let run = Meld::try_from("JH QH KH".parse::<CardSet>().unwrap()).unwrap();
/// assert_eq!((run.kind(), run.extensions().to_string()), (MeldKind::Run, "TH".to_owned()));
/// assert!(Meld::try_from("QS KS AS".parse::<CardSet>().unwrap()).is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Meld(CardSet);

impl Meld {
    /// For cards known to form a meld, as the arrangement search makes them.
    pub(crate) fn trusted(cards: CardSet) -> Self {
        debug_assert!(Self::try_from(cards).is_ok(), "{cards} is no meld");
        Self(cards)
    }

    #[must_use]
    pub const fn cards(self) -> CardSet {
        self.0
    }

    #[must_use]
    pub const fn kind(self) -> MeldKind {
        // Two neighbouring bits occur in a run alone: cards of one rank are 13 bits apart.
        if self.0.mask() & self.0.mask() >> 1 == 0 {
            MeldKind::Set
        } else {
            MeldKind::Run
        }
    }

    /// The cards that could be laid off on the meld as it is now: the fourth card of a set of
    /// three, or the next card beyond each end of a run.
    #[must_use]
    pub fn extensions(self) -> CardSet {
        let Some(first) = self.0.first() else {
            return CardSet::EMPTY;
        };
        match self.kind() {
            MeldKind::Set => CardSet::of_rank(first.rank()) - self.0,
            MeldKind::Run => {
                let suit = CardSet::of_suit(first.suit());
                let beyond = (self.0.mask() << 1) | (self.0.mask() >> 1);
                (CardSet::from_mask_truncated(beyond) & suit) - self.0
            }
        }
    }

    /// The meld with one more card, when the card fits.
    #[must_use]
    pub fn extended(self, card: crate::card::Card) -> Option<Self> {
        self.extensions()
            .contains(card)
            .then(|| Self(self.0.with(card)))
    }
}

/// Cards that form neither a set nor a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} is no meld: a set is 3 or 4 cards of one rank, a run 3 or more consecutive cards of one suit, ace low",
    named(*cards)
)]
pub struct NotAMeld {
    pub cards: CardSet,
}

fn named(cards: CardSet) -> String {
    if cards.is_empty() {
        "a group without cards".into()
    } else {
        cards.to_string()
    }
}

impl TryFrom<CardSet> for Meld {
    type Error = NotAMeld;

    fn try_from(cards: CardSet) -> Result<Self, NotAMeld> {
        let is_meld = cards.len() >= 3
            && cards.first().is_some_and(|first| {
                let row = cards.mask() >> first.index();
                cards.is_subset(CardSet::of_rank(first.rank()))
                    || (cards.is_subset(CardSet::of_suit(first.suit())) && row & (row + 1) == 0)
            });
        if is_meld {
            Ok(Self(cards))
        } else {
            Err(NotAMeld { cards })
        }
    }
}

impl PartialOrd for Meld {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// By card order, card by card, a prefix first.
impl Ord for Meld {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.into_iter().cmp(other.0)
    }
}

impl fmt::Display for Meld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Meld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// A list of card names in card order.
impl Serialize for Meld {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Meld {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let cards = CardSet::deserialize(deserializer)?;
        Self::try_from(cards).map_err(serde::de::Error::custom)
    }
}

/// Every meld of the deck: 65 sets and 264 runs of three to thirteen cards.
pub fn all_melds() -> impl Iterator<Item = Meld> {
    let sets = Rank::ALL.into_iter().flat_map(|rank| {
        let four = CardSet::of_rank(rank);
        four.into_iter()
            .map(move |card| Meld(four.without(card)))
            .chain([Meld(four)])
    });
    let runs = crate::card::Suit::ALL.into_iter().flat_map(|suit| {
        (3..=13u32).flat_map(move |len| {
            (0..=13 - len).map(move |low| {
                let row = ((1u64 << len) - 1) << low << (suit as u32 * 13);
                Meld(CardSet::from_mask_truncated(row))
            })
        })
    });
    sets.chain(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cards(text: &str) -> CardSet {
        text.parse().unwrap()
    }

    #[test]
    fn there_are_65_sets_and_264_runs() {
        let (sets, runs): (Vec<_>, Vec<_>) =
            all_melds().partition(|meld| meld.kind() == MeldKind::Set);
        assert_eq!((sets.len(), runs.len()), (65, 264));
        assert!(
            sets.iter()
                .chain(&runs)
                .all(|m| Meld::try_from(m.cards()) == Ok(*m))
        );
    }

    #[test]
    fn what_is_no_meld_is_refused() {
        for text in [
            "",
            "AS",
            "AS 2S",
            "KS KD",
            "QS KS AS",
            "AC 2D 3C",
            "KC AD 2D",
            "2S 3S 5S",
            "4C 4D 4H 5H",
        ] {
            assert_eq!(
                Meld::try_from(cards(text)),
                Err(NotAMeld { cards: cards(text) }),
                "{text}"
            );
        }
    }

    #[test]
    fn a_run_grows_at_both_ends_but_not_round_the_corner() {
        let extensions = |text| {
            Meld::try_from(cards(text))
                .unwrap()
                .extensions()
                .to_string()
        };
        assert_eq!(extensions("5H 6H 7H"), "4H 8H");
        assert_eq!(extensions("AC 2C 3C"), "4C");
        assert_eq!(extensions("JD QD KD"), "TD");
        assert_eq!(extensions("AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"), "");
    }

    #[test]
    fn a_set_of_three_takes_its_fourth_card_alone() {
        let extensions = |text| {
            Meld::try_from(cards(text))
                .unwrap()
                .extensions()
                .to_string()
        };
        assert_eq!(extensions("AC AD AS"), "AH");
        assert_eq!(extensions("KC KD KH KS"), "");
    }
}
