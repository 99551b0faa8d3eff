//! Deals: the seed of a match fixes its first dealer and the deck of each hand.
//!
//! The shuffle is specified byte by byte, so that anyone can check a match's deals:
//!
//! 1. The key stream of hand `n` is `ChaCha20` (RFC 8439, block counter from 0) with the 32-byte seed
//!    as key and, as 12-byte nonce, `n` as a little-endian u64 followed by four zero bytes.
//! 2. It is read as little-endian u32 words. A number below `k` is the first word `w` with
//!    `w < floor(2^32 / k) * k`, modulo `k`; words at or above that bound are skipped.
//! 3. The deck starts in card order. For `i` from 51 down to 1, `deck[i]` is swapped with
//!    `deck[j]`, where `j` is the next number below `i + 1`.
//! 4. Hands count from 1. The stream of `n = 0` gives the first dealer: seat 1 when the next number
//!    below 2 is 0, else seat 2.
//!
//! The commitment is the SHA-256 of the seed, published before the first card is dealt.

use arrayvec::ArrayVec;
use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::card::Card;
use crate::card_set::CardSet;
use crate::seat::Seat;

/// A shuffled deck: `deck[0], [2], …` go to the non-dealer, `[1], [3], …` to the dealer, `[20]` is
/// the upcard and `[21..]` the stock from its top.
pub type Deck = [Card; 52];

/// A given deck that does not hold each of the 52 cards once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the deck of hand {hand_number} holds {card} twice: each of the 52 cards is in it once")]
pub struct InvalidDeck {
    /// Counts from 1.
    pub hand_number: u32,
    /// The first card that comes again.
    pub card: Card,
}

/// Every deck has 52 places, so one without a doubled card holds them all.
pub(crate) fn check_decks(decks: &[Deck]) -> Result<(), InvalidDeck> {
    for (hand_number, deck) in (1..).zip(decks) {
        let mut seen = CardSet::EMPTY;
        for card in *deck {
            if seen.contains(card) {
                return Err(InvalidDeck { hand_number, card });
            }
            seen.insert(card);
        }
    }
    Ok(())
}

/// The 32 bytes that fix every deal of a match.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl Seed {
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    #[must_use]
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// SHA-256 of the seed: shown when the match starts, opened when it ends.
    #[must_use]
    pub fn commitment(&self) -> [u8; 32] {
        Sha256::digest(self.0).into()
    }

    /// Who deals the first hand.
    #[must_use]
    pub fn first_dealer(&self) -> Seat {
        if KeyStream::new(self, 0).below(2) == 0 {
            Seat::One
        } else {
            Seat::Two
        }
    }

    /// The deck of a hand; hands count from 1, dead hands too.
    ///
    /// ```
    /// use ginrummy_engine::Seed;
    /// let deck = Seed::new([0; 32]).deck(1);
    /// assert_eq!(deck[20].to_string(), "AD");
    /// ```
    #[must_use]
    pub fn deck(&self, hand_number: u32) -> Deck {
        let mut stream = KeyStream::new(self, u64::from(hand_number));
        let mut deck: Deck = Card::DECK;
        for i in (1..52u8).rev() {
            let j = stream.below(u32::from(i) + 1);
            deck.swap(usize::from(i), j as usize);
        }
        deck
    }
}

/// In hex: opens a finished match's deals.
impl Serialize for Seed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let hex: String = digits
            .filter_map(|d| char::from_digit(u32::from(d), 16))
            .collect();
        serializer.serialize_str(&hex)
    }
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let hex = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        let digits: Option<Vec<u8>> = hex
            .chars()
            .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
            .collect();
        let digits = digits.filter(|digits| digits.len() == 64);
        let digits = digits.ok_or_else(|| serde::de::Error::custom("a seed is 64 hex digits"))?;
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair[0] << 4 | pair[1];
        }
        Ok(Self(bytes))
    }
}

/// The seed opens the deals: it is not printed.
impl std::fmt::Debug for Seed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seed(..)")
    }
}

/// Numbers drawn from the key stream of one hand.
struct KeyStream {
    cipher: ChaCha20,
    /// Words of the stream that are not used yet, in reverse.
    ready: ArrayVec<u32, WORDS>,
}

/// A deck takes 51 words and a few rejected ones: four blocks of the stream.
const WORDS: usize = 64;

impl KeyStream {
    fn new(seed: &Seed, hand_number: u64) -> Self {
        let mut nonce = [0; 12];
        nonce[..8].copy_from_slice(&hand_number.to_le_bytes());
        let cipher = ChaCha20::new(&seed.0.into(), &nonce.into());
        Self {
            cipher,
            ready: ArrayVec::new(),
        }
    }

    fn word(&mut self) -> u32 {
        if self.ready.is_empty() {
            let mut bytes = [0; 4 * WORDS];
            self.cipher.apply_keystream(&mut bytes);
            let (words, _) = bytes.as_chunks();
            self.ready
                .extend(words.iter().rev().map(|word| u32::from_le_bytes(*word)));
        }
        self.ready.pop().unwrap_or_default()
    }

    /// A number from 0 to `bound - 1`, each equally likely.
    fn below(&mut self, bound: u32) -> u32 {
        let rejected_from = (1u64 << 32) / u64::from(bound) * u64::from(bound);
        loop {
            let word = self.word();
            if u64::from(word) < rejected_from {
                return word % bound;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_stream_is_that_of_rfc_8439() {
        // RFC 8439, appendix A.1, test vector 1: the first words of the all-zero key and nonce.
        let mut stream = KeyStream::new(&Seed::new([0; 32]), 0);
        assert_eq!([stream.word(), stream.word()], [0xade0_b876, 0x903d_f1a0]);
    }

    #[test]
    fn every_deck_holds_the_52_cards() {
        for n in 0..200 {
            let deck = Seed::new([7; 32]).deck(n);
            assert_eq!(deck.into_iter().collect::<CardSet>(), CardSet::ALL);
        }
    }

    #[test]
    fn a_seed_reads_back_from_its_hex_digits() {
        let seed = Seed::new(std::array::from_fn(|i| u8::try_from(i * 7).unwrap()));
        let hex = serde_json::to_string(&seed).unwrap();
        assert_eq!(serde_json::from_str::<Seed>(&hex).unwrap(), seed);
        for bad in [r#""""#, r#""00""#, &hex.replace('0', "g")] {
            assert!(serde_json::from_str::<Seed>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn hands_and_seeds_differ() {
        let seed = Seed::new([1; 32]);
        assert_ne!(seed.deck(1), seed.deck(2));
        assert_ne!(seed.deck(1), Seed::new([2; 32]).deck(1));
    }

    #[test]
    fn each_seat_deals_first_about_as_often() {
        let first = (0..=255u8)
            .filter(|b| Seed::new([*b; 32]).first_dealer() == Seat::One)
            .count();
        assert!((96..=160).contains(&first), "{first} of 256");
    }
}
