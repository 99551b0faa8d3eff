//! Players without a person. A bot decides from a [`SeatView`] alone.

mod belief;
mod chances;
mod dice;
mod equity;
mod expert;
mod heuristic;
mod playout;
mod simple;
mod suggestion;
#[cfg(feature = "tuning")]
pub mod tuning;

pub use suggestion::{Reason, Suggestion};

use crate::action::Action;
use crate::view::SeatView;

/// A player of a given kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bot {
    /// Knocks at the first chance; takes the upcard or discard when it lowers the deadwood.
    Simple,
    /// Weighs deadwood, chances and dangers by rule of thumb.
    Heuristic,
    /// A beginner: sees melds, and little else.
    Easy,
    /// Somebody who plays now and then.
    Normal,
    /// Somebody who plays well.
    Hard,
    /// Imagines the hidden cards and plays on: as strong as is known here.
    Expert,
}

/// How long and with which chance numbers a bot may think.
///
/// A bot has no clock: it asks `goes_on` again and again, and answers with the best so far once
/// that is false. As long as it stays true the same view, seed and samples give the same answer.
#[derive(Clone, Copy)]
pub struct Thinking<'a> {
    pub seed: u64,
    /// Worlds to imagine for a decision at most; `None`: [`Bot::default_samples`].
    pub samples: Option<u32>,
    pub goes_on: &'a dyn Fn() -> bool,
}

impl Default for Thinking<'_> {
    /// As long as the bot wants, with seed 0.
    fn default() -> Self {
        Self {
            seed: 0,
            samples: None,
            goes_on: &|| true,
        }
    }
}

impl Bot {
    pub const ALL: [Self; 6] = [
        Self::Simple,
        Self::Heuristic,
        Self::Easy,
        Self::Normal,
        Self::Hard,
        Self::Expert,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Heuristic => "heuristic",
            Self::Easy => "easy",
            Self::Normal => "normal",
            Self::Hard => "hard",
            Self::Expert => "expert",
        }
    }

    /// ```
    /// use ginrummy_engine::Bot;
    /// assert_eq!(Bot::named("simple"), Some(Bot::Simple));
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|bot| bot.name() == name)
    }

    /// Worlds that the bot imagines for a decision; 0: it decides at once, whatever the seed.
    #[must_use]
    pub const fn default_samples(self) -> u32 {
        match self {
            Self::Simple | Self::Heuristic | Self::Easy | Self::Normal => 0,
            Self::Hard => 64,
            Self::Expert => 512,
        }
    }

    /// The bot's action; `None` when it is not its seat's turn.
    ///
    /// ```
    /// use ginrummy_engine::{Bot, Hand, Ruleset, Seat, SeatView, Seed, Thinking};
    /// let rules = Ruleset::named("short").unwrap().rules;
    /// let hand = Hand::deal(&rules, &Seed::new([0; 32]).deck(1), Seat::One);
    /// let view = SeatView::new(&hand, Seat::Two);
    /// let thinking = Thinking { seed: 7, samples: Some(20), ..Thinking::default() };
    /// assert!(Bot::Expert.decide(&view, &thinking).is_some());
    /// assert_eq!(Bot::Expert.decide(&SeatView::new(&hand, Seat::One), &thinking), None);
    /// ```
    #[must_use]
    pub fn decide(self, view: &SeatView<'_>, thinking: &Thinking<'_>) -> Option<Action> {
        let samples = thinking.samples.unwrap_or(self.default_samples());
        match self {
            Self::Simple => simple::decide(view),
            Self::Easy => heuristic::decide(view, &heuristic::EASY),
            Self::Heuristic | Self::Normal => heuristic::decide(view, &heuristic::STYLE),
            Self::Hard | Self::Expert => expert::decide(view, samples, thinking),
        }
    }

    /// What may be done, best first, each with its reason; empty when it is not the seat's turn.
    ///
    /// A bot that imagines worlds tells expected points and chances. The others put their own
    /// choice first and the rest in the order of the deadwood it leaves.
    #[must_use]
    pub fn suggest(self, view: &SeatView<'_>, thinking: &Thinking<'_>) -> Vec<Suggestion> {
        let samples = thinking.samples.unwrap_or(self.default_samples());
        match self {
            Self::Hard | Self::Expert => suggestion::weighed(view, samples, thinking),
            _ => suggestion::by_deadwood(view, self.decide(view, thinking)),
        }
    }
}
