//! The rules of Gin Rummy as pure functions and state machines.
//!
//! Time, seed and randomness are arguments; nothing here does I/O.

#![forbid(unsafe_code)]

/// Changes when the same commands would give other events, so that a log names the rules it was
/// written under.
pub const RULES_VERSION: u32 = 1;

mod action;
mod arrangement;
mod bot;
mod card;
mod card_set;
mod deadwood;
mod deal;
mod event;
mod hand;
mod layoff;
mod ledger;
mod match_state;
mod meld;
mod rules;
mod ruleset;
mod seat;
mod set_choices;
mod simulation;
mod tables;
mod view;

pub use action::{Action, BadMelds, Phase, Pile, Violation};
pub use arrangement::{Arrangement, Melds, best_arrangement, minimal_arrangements};
#[cfg(feature = "tuning")]
pub use bot::tuning;
pub use bot::{Bot, Reason, Suggestion, Thinking};
pub use card::{Card, ParseCardError, Rank, Suit};
pub use card_set::{CardSet, Cards, ParseCardsError};
pub use deadwood::{PricedDiscard, best_discard, deadwood, price_discards};
pub use deal::{Deck, InvalidDeck, Seed};
pub use event::{
    EndReason, Event, HandResult, KnockKind, LaidOff, MatchResult, Outcome, ScoredHand, Showdown,
    replayed_to,
};
pub use hand::{
    DiscardOption, DiscardOptions, Hand, HandEvents, HandScore, InvalidPosition, Position,
    SeatPosition, Turn, discards_best_first, score_hand,
};
pub use layoff::{
    Defence, InvalidSpread, Layoff, Layoffs, SpreadPart, best_defence, deadwood_after_layoffs,
    knockers_melds,
};
pub use ledger::{Ledger, ScoreColumn, ScoreSheet};
pub use match_state::{Command, Match, MatchView, next_dealer};
pub use meld::{Meld, MeldKind, NotAMeld, all_melds};
pub use rules::{
    DEFAULT_BIG_GIN_BONUS, DealerRule, InvalidOption, MAX_BONUS, MeldChoice, Oklahoma, Overrides,
    PileView, Rules, Shutout, Wall,
};
pub use ruleset::Ruleset;
pub use seat::{Seat, Viewer};
pub use simulation::{Deals, HandEnds, MOST_ACTIONS, Pairing, Tally};
pub use view::{HandView, SeatView};
