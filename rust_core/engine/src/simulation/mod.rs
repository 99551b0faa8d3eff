//! Bots against bots: match number `n` of a pairing, and what many of them come to.
//!
//! Every match follows from the pairing and its deal's number alone, the bots' thoughts included, and a [`Tally`] holds whole
//! numbers only: whoever plays which deals when, the sum of all is the same.

mod tally;

use sha2::{Digest, Sha256};

use crate::bot::{Bot, Thinking};
use crate::deal::Seed;
use crate::event::Event;
use crate::match_state::{Command, Match};
use crate::rules::Rules;
use crate::seat::Seat;

use tally::{DealTally, Sides};
pub use tally::{HandEnds, Tally};

/// A match is aborted after so many actions: well over a thousand hands, when a usual match has
/// ten. Nothing in the rules ends two bots who only ever take each other's discards.
pub const MOST_ACTIONS: u32 = 100_000;

/// How often a deal is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deals {
    /// Twice, seats exchanged: what the cards give to one they give to the other.
    Duplicate,
    Single,
}

impl Deals {
    /// In which seat the first bot sits, match by match.
    #[must_use]
    pub const fn seats(self) -> &'static [Seat] {
        match self {
            Self::Duplicate => &Seat::BOTH,
            Self::Single => &[Seat::One],
        }
    }
}

/// Two bots and the rules and deals they play with.
///
/// ```
/// use ginrummy_engine::{Bot, Deals, Pairing, Ruleset, Seed, Tally};
/// let pairing = Pairing {
///     rules: Ruleset::named("short").unwrap().rules,
///     bots: [Bot::Simple, Bot::Simple],
///     deals: Deals::Duplicate,
///     seed: Seed::new([0; 32]),
///     number: 0,
/// };
/// let mut tally = Tally::default();
/// for deal in 0..10 {
///     tally.add(&pairing.play(deal, &|| false).unwrap());
/// }
/// // The same bot twice: each deal is won once by either side.
/// assert_eq!((tally.matches, tally.wins), (20, [10, 10]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    pub rules: Rules,
    pub bots: [Bot; 2],
    pub deals: Deals,
    /// Of all pairings that are looked at together.
    pub seed: Seed,
    /// Of this pairing among them, so that each has deals of its own.
    pub number: u32,
}

impl Pairing {
    /// The seed of a deal: SHA-256 of the words, the seed, and both numbers as little-endian.
    ///
    /// Other rules or bots get the same deals, so that what differs is not the cards.
    #[must_use]
    pub fn deal_seed(&self, deal: u64) -> Seed {
        Seed::new(self.hash(b"ginrummy simulation deal", deal))
    }

    /// The seed of a bot's thoughts at its n-th action in a match of this deal. It tells nothing of the
    /// deal's own.
    #[must_use]
    pub fn thinking_seed(&self, deal: u64, action: u32) -> u64 {
        let hash = self.hash(b"ginrummy simulation thoughts", deal);
        let (words, _) = hash.as_chunks();
        // Neighbouring numbers would do: whoever thinks mixes them by himself.
        u64::from_le_bytes(words[0]).wrapping_add(action.into())
    }

    fn hash(&self, words: &[u8], deal: u64) -> [u8; 32] {
        let hash = Sha256::new()
            .chain_update(words)
            .chain_update(self.seed.bytes())
            .chain_update(self.number.to_le_bytes())
            .chain_update(deal.to_le_bytes());
        hash.finalize().into()
    }

    /// Plays one deal as often as it is to be played; `None` if `is_cancelled` says so meanwhile.
    pub fn play(&self, deal: u64, is_cancelled: &dyn Fn() -> bool) -> Option<Tally> {
        self.play_within(deal, MOST_ACTIONS, is_cancelled)
    }

    fn play_within(
        &self,
        deal: u64,
        most_actions: u32,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Option<Tally> {
        let seed = self.deal_seed(deal);
        let mut tally = DealTally::default();
        for first_seat in self.deals.seats() {
            let sides = Sides(*first_seat);
            let (mut game, _) = Match::start(&self.rules, seed);
            for action in 0..most_actions {
                let Some(seat) = game.to_act() else { break };
                let thinking = Thinking {
                    seed: self.thinking_seed(deal, action),
                    samples: None,
                    goes_on: &|| !is_cancelled(),
                };
                let command = self.command(&game, seat, sides, &thinking);
                // After the decision: what a bot has left off early does not count.
                if is_cancelled() {
                    return None;
                }
                tally.count_hands(&apply(&mut game, &command), sides);
            }
            if game.result().is_none() {
                apply(&mut game, &Command::Abort);
            }
            if let Some(result) = game.result() {
                tally.count_match(result, sides);
            }
        }
        Some(tally.whole())
    }

    fn command(&self, game: &Match, seat: Seat, sides: Sides, thinking: &Thinking<'_>) -> Command {
        let bot = self.bots[sides.of(seat)];
        let view = game.seat_view(seat).expect("the match goes on");
        let action = bot.decide(&view, thinking).expect("it is this seat's turn");
        Command::Act { seat, action }
    }
}

fn apply(game: &mut Match, command: &Command) -> Vec<Event> {
    game.apply(command).expect("a bot's action is legal")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruleset::Ruleset;

    fn pairing(deals: Deals) -> Pairing {
        Pairing {
            rules: Ruleset::named("solo").unwrap().rules,
            bots: [Bot::Simple, Bot::Simple],
            deals,
            seed: Seed::new([3; 32]),
            number: 1,
        }
    }

    #[test]
    fn a_match_that_does_not_end_is_aborted_and_told_of() {
        for (deals, matches) in [(Deals::Duplicate, 2), (Deals::Single, 1)] {
            let tally = pairing(deals).play_within(5, 40, &|| false).unwrap();
            assert_eq!((tally.matches, tally.unfinished), (matches, matches));
            assert_eq!((tally.deals, tally.wins, tally.win_squares), (1, [0, 0], 0));
        }
    }

    #[test]
    fn a_bound_that_is_not_reached_changes_nothing() {
        let pairing = pairing(Deals::Duplicate);
        let within = pairing.play_within(5, 5_000, &|| false).unwrap();
        assert_eq!(within.unfinished, 0);
        assert_eq!(Some(within), pairing.play(5, &|| false));
    }

    #[test]
    fn cancelling_stops_within_a_match() {
        let asked = std::cell::Cell::new(0);
        let is_cancelled = || {
            asked.set(asked.get() + 1);
            asked.get() > 10
        };
        assert_eq!(pairing(Deals::Single).play(0, &is_cancelled), None);
        assert_eq!(asked.get(), 11);
    }
}
