//! A playing card: one of 52, numbered suit-major so that a run is a row of neighbouring bits.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The four suits in card order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Suit {
    Clubs,
    Diamonds,
    Hearts,
    Spades,
}

impl Suit {
    pub const ALL: [Self; 4] = [Self::Clubs, Self::Diamonds, Self::Hearts, Self::Spades];

    /// The letter of the suit: `C`, `D`, `H` or `S`.
    #[must_use]
    pub const fn letter(self) -> char {
        ['C', 'D', 'H', 'S'][self as usize]
    }
}

/// The thirteen ranks, ace low.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Rank {
    Ace,
    Two,
    Three,
    Four,
    Five,
    Six,
    Seven,
    Eight,
    Nine,
    Ten,
    Jack,
    Queen,
    King,
}

impl Rank {
    pub const COUNT: u8 = 13;

    pub const ALL: [Self; 13] = [
        Self::Ace,
        Self::Two,
        Self::Three,
        Self::Four,
        Self::Five,
        Self::Six,
        Self::Seven,
        Self::Eight,
        Self::Nine,
        Self::Ten,
        Self::Jack,
        Self::Queen,
        Self::King,
    ];

    /// Deadwood points: ace 1, two to ten by their pips, court cards 10.
    #[must_use]
    pub const fn points(self) -> u32 {
        let pips = self as u32 + 1;
        if pips < 10 { pips } else { 10 }
    }

    /// The letter of the rank, one of `A23456789TJQK`.
    #[must_use]
    pub const fn letter(self) -> char {
        b"A23456789TJQK"[self as usize] as char
    }
}

/// One of the 52 cards.
///
/// ```
/// use ginrummy_engine::{Card, Rank, Suit};
/// let card: Card = "TD".parse().unwrap();
/// assert_eq!(card, Card::new(Rank::Ten, Suit::Diamonds));
/// assert_eq!((card.index(), card.points(), card.to_string()), (22, 10, "TD".to_owned()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Card {
    pub const COUNT: u8 = 52;

    #[must_use]
    pub const fn new(rank: Rank, suit: Suit) -> Self {
        Self(suit as u8 * Rank::COUNT + rank as u8)
    }

    /// The card with this number, `suit * 13 + rank`; `None` from 52 on.
    #[must_use]
    pub const fn from_index(index: u8) -> Option<Self> {
        if index < Self::COUNT {
            Some(Self(index))
        } else {
            None
        }
    }

    /// 0 to 51, `suit * 13 + rank`: the bit of the card in a mask.
    #[must_use]
    pub const fn index(self) -> u8 {
        self.0
    }

    #[must_use]
    pub const fn rank(self) -> Rank {
        Rank::ALL[(self.0 % Rank::COUNT) as usize]
    }

    #[must_use]
    pub const fn suit(self) -> Suit {
        Suit::ALL[(self.0 / Rank::COUNT) as usize]
    }

    /// Deadwood points, 1 to 10.
    #[must_use]
    pub const fn points(self) -> u32 {
        self.rank().points()
    }

    /// The card of the next higher rank in the same suit; none above the king.
    #[must_use]
    pub const fn above(self) -> Option<Self> {
        if self.0 % Rank::COUNT == Rank::King as u8 {
            None
        } else {
            Some(Self(self.0 + 1))
        }
    }

    /// The card of the next lower rank in the same suit; none below the ace.
    #[must_use]
    pub const fn below(self) -> Option<Self> {
        if self.0 % Rank::COUNT == Rank::Ace as u8 {
            None
        } else {
            Some(Self(self.0 - 1))
        }
    }

    /// All 52 cards in card order.
    pub const DECK: [Self; 52] = {
        let mut deck = [Self(0); 52];
        let mut index = 0;
        while index < Self::COUNT {
            deck[index as usize] = Self(index);
            index += 1;
        }
        deck
    };

    /// All 52 cards in card order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        Self::DECK.into_iter()
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.rank().letter(), self.suit().letter())
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Text that names no card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a card: write a rank A23456789TJQK and a suit CDHS, like \"AS\" or \"TD\""
)]
pub struct ParseCardError {
    pub text: String,
}

impl FromStr for Card {
    type Err = ParseCardError;

    /// Reads `"AS"` or `"td"`: a rank, then a suit, in any case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let position = |letters: &str, c: char| letters.find(c.to_ascii_uppercase());
        let mut letters = text.chars();
        let card = match (letters.next(), letters.next(), letters.next()) {
            (Some(rank), Some(suit), None) => position("A23456789TJQK", rank)
                .zip(position("CDHS", suit))
                .map(|(rank, suit)| Self::new(Rank::ALL[rank], Suit::ALL[suit])),
            _ => None,
        };
        card.ok_or_else(|| ParseCardError {
            text: text.to_owned(),
        })
    }
}

impl Serialize for Card {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let letters = [self.rank().letter() as u8, self.suit().letter() as u8];
        serializer.serialize_str(std::str::from_utf8(&letters).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Card {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_reads_back_from_its_name() {
        for card in Card::all() {
            assert_eq!(card.to_string().parse(), Ok(card));
            assert_eq!(card.to_string().to_lowercase().parse(), Ok(card));
            assert_eq!(Card::new(card.rank(), card.suit()), card);
        }
    }

    #[test]
    fn what_is_not_a_card_is_refused_with_its_text() {
        for text in ["", "A", "1S", "ASS", "SA", "10S", "AX", "éé"] {
            assert_eq!(
                text.parse::<Card>(),
                Err(ParseCardError {
                    text: text.to_owned()
                })
            );
        }
    }

    #[test]
    fn the_ace_is_low_and_nothing_stands_above_the_king() {
        let king: Card = "KC".parse().unwrap();
        let ace: Card = "AD".parse().unwrap();
        assert_eq!((king.above(), ace.below()), (None, None));
        assert_eq!(ace.above().map(|c| c.to_string()).as_deref(), Some("2D"));
    }

    #[test]
    fn a_deck_is_worth_340_points() {
        assert_eq!(Card::all().map(Card::points).sum::<u32>(), 340);
    }
}
