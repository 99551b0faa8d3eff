//! A set of cards as 52 bits.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Sub, SubAssign};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::card::{Card, ParseCardError, Rank, Suit};

/// A set of cards: bit `suit * 13 + rank`, clubs lowest, ace low.
///
/// ```
/// use ginrummy_engine::CardSet;
/// let hand: CardSet = "AS 2s3S".parse().unwrap();
/// assert_eq!((hand.len(), hand.points(), hand.to_string()), (3, 6, "AS 2S 3S".to_owned()));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CardSet(u64);

impl CardSet {
    pub const EMPTY: Self = Self(0);
    /// The whole deck.
    pub const ALL: Self = Self((1 << Card::COUNT) - 1);

    /// The set with these bits; `None` when a bit from 52 on is set.
    #[must_use]
    pub const fn from_mask(mask: u64) -> Option<Self> {
        if mask & !Self::ALL.0 == 0 {
            Some(Self(mask))
        } else {
            None
        }
    }

    /// The set with these bits, bits from 52 on dropped.
    pub(crate) const fn from_mask_truncated(mask: u64) -> Self {
        Self(mask & Self::ALL.0)
    }

    #[must_use]
    pub const fn mask(self) -> u64 {
        self.0
    }

    /// All thirteen cards of a suit.
    #[must_use]
    pub const fn of_suit(suit: Suit) -> Self {
        Self(0x1FFF << (suit as u32 * Rank::COUNT as u32))
    }

    /// All four cards of a rank.
    #[must_use]
    pub const fn of_rank(rank: Rank) -> Self {
        Self((1 | 1 << 13 | 1 << 26 | 1 << 39) << rank as u32)
    }

    #[must_use]
    pub const fn single(card: Card) -> Self {
        Self(1 << card.index())
    }

    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[must_use]
    pub const fn contains(self, card: Card) -> bool {
        self.0 >> card.index() & 1 == 1
    }

    #[must_use]
    pub const fn is_subset(self, of: Self) -> bool {
        self.0 & !of.0 == 0
    }

    #[must_use]
    pub const fn is_disjoint(self, other: Self) -> bool {
        self.0 & other.0 == 0
    }

    #[must_use]
    pub const fn with(self, card: Card) -> Self {
        Self(self.0 | 1 << card.index())
    }

    #[must_use]
    pub const fn without(self, card: Card) -> Self {
        Self(self.0 & !(1 << card.index()))
    }

    pub fn insert(&mut self, card: Card) {
        *self = self.with(card);
    }

    pub fn remove(&mut self, card: Card) {
        *self = self.without(card);
    }

    /// The lowest card in card order.
    #[must_use]
    pub fn first(self) -> Option<Card> {
        Card::from_index(u8::try_from(self.0.trailing_zeros()).unwrap_or(u8::MAX))
    }

    /// The sum of the cards' deadwood points.
    #[must_use]
    pub fn points(self) -> u32 {
        self.into_iter().map(Card::points).sum()
    }

    /// Reads cards, refusing one that comes twice.
    ///
    /// # Errors
    /// [`ParseCardsError`] with the text and, for a doubled card, the card.
    pub fn try_from_cards(cards: impl IntoIterator<Item = Card>) -> Result<Self, ParseCardsError> {
        let mut set = Self::EMPTY;
        for card in cards {
            if set.contains(card) {
                return Err(ParseCardsError::Doubled { card });
            }
            set.insert(card);
        }
        Ok(set)
    }
}

/// Text or a list that is no set of cards.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseCardsError {
    #[error(transparent)]
    NotACard(#[from] ParseCardError),
    #[error("{card} comes twice: each card is in a hand at most once")]
    Doubled { card: Card },
}

impl std::str::FromStr for CardSet {
    type Err = ParseCardsError;

    /// Reads `"AS 2s TD"`: spaces and commas between the cards are optional.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let letters: Vec<char> = text
            .chars()
            .filter(|c| !c.is_whitespace() && *c != ',')
            .collect();
        let cards = letters
            .chunks(2)
            .map(|pair| pair.iter().collect::<String>().parse())
            .collect::<Result<Vec<Card>, _>>()?;
        Self::try_from_cards(cards)
    }
}

impl FromIterator<Card> for CardSet {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Self {
        cards.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl From<Card> for CardSet {
    fn from(card: Card) -> Self {
        Self::single(card)
    }
}

impl IntoIterator for CardSet {
    type Item = Card;
    type IntoIter = Cards;

    fn into_iter(self) -> Cards {
        Cards(self)
    }
}

/// The cards of a set in card order.
#[derive(Clone, Debug)]
pub struct Cards(CardSet);

impl Iterator for Cards {
    type Item = Card;

    fn next(&mut self) -> Option<Card> {
        let card = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
        Some(card)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl ExactSizeIterator for Cards {}

impl BitOr for CardSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for CardSet {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAnd for CardSet {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitAndAssign for CardSet {
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

/// Set difference.
impl Sub for CardSet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl SubAssign for CardSet {
    fn sub_assign(&mut self, other: Self) {
        self.0 &= !other.0;
    }
}

impl fmt::Display for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, card) in self.into_iter().enumerate() {
            write!(f, "{}{card}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{self}]")
    }
}

/// A list of card names in card order.
impl Serialize for CardSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(*self)
    }
}

impl<'de> Deserialize<'de> for CardSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let cards = Vec::<Card>::deserialize(deserializer)?;
        Self::try_from_cards(cards).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_reads_back_from_its_text() {
        assert_eq!(CardSet::ALL.to_string().parse(), Ok(CardSet::ALL));
        assert_eq!("".parse(), Ok(CardSet::EMPTY));
    }

    #[test]
    fn a_doubled_card_is_refused_by_name() {
        let card: Card = "4D".parse().unwrap();
        assert_eq!(
            "4D AS 4d".parse::<CardSet>(),
            Err(ParseCardsError::Doubled { card })
        );
    }

    #[test]
    fn a_mask_beyond_the_deck_is_refused() {
        assert_eq!(CardSet::from_mask(1 << 52), None);
        assert_eq!(CardSet::from_mask((1 << 52) - 1), Some(CardSet::ALL));
    }

    #[test]
    fn cards_come_in_card_order() {
        let hand: CardSet = "KS AC TD 2C".parse().unwrap();
        assert_eq!(hand.to_string(), "AC 2C TD KS");
        assert_eq!(hand.into_iter().len(), 4);
    }
}
