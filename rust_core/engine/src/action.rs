//! What a player may do, and why an action is refused.

use serde::{Deserialize, Serialize};

use crate::card::Card;
use crate::card_set::CardSet;
use crate::layoff::Layoff;
use crate::seat::Seat;

/// What a hand waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The upcard is offered: take it or pass.
    Upcard,
    Draw,
    /// A discard, a knock or big gin.
    Discard,
    /// The defender's layoffs.
    Layoff,
    /// The wall's last discard: take it and knock, or pass.
    LastChance,
    Over,
}

/// Where a card is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pile {
    Stock,
    Discard,
}

/// A player's command to a hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Refuses an offered upcard, or the last chance.
    Pass,
    /// Draws a card; from the discard pile also takes an offered upcard.
    Draw {
        pile: Pile,
    },
    Discard {
        card: Card,
    },
    /// Ends the hand with one card put away; gin when the other ten leave no deadwood.
    Knock {
        discard: Card,
        /// The player's own groups; empty where the engine arranges.
        #[serde(default)]
        melds: Vec<CardSet>,
    },
    /// All eleven cards are in melds.
    BigGin {
        #[serde(default)]
        melds: Vec<CardSet>,
    },
    /// The defender's layoffs: with nothing sent, the engine's joint best.
    LayOff {
        /// His own groups; empty: arranged by the engine.
        #[serde(default)]
        melds: Vec<CardSet>,
        /// In order; empty beside groups: no layoffs.
        #[serde(default)]
        layoffs: Vec<Layoff>,
    },
}

impl Action {
    /// A knock with the engine's arrangement.
    #[must_use]
    pub const fn knock(discard: Card) -> Self {
        Self::Knock {
            discard,
            melds: Vec::new(),
        }
    }

    /// The engine's joint best layoffs.
    #[must_use]
    pub const fn lay_off_best() -> Self {
        Self::LayOff {
            melds: Vec::new(),
            layoffs: Vec::new(),
        }
    }
}

/// What is wrong with the groups a player sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
pub enum BadMelds {
    #[error("{} is neither a set nor a run", if cards.is_empty() { "an empty group".to_owned() } else { cards.to_string() })]
    NotAMeld { cards: CardSet },
    #[error("{card} is in two melds")]
    SharedCard { card: Card },
    #[error("{card} is not among the cards to arrange")]
    CardNotHeld { card: Card },
    #[error("this ruleset asks the player for his melds, and none were sent")]
    Required,
    #[error("this ruleset arranges the melds itself: send none")]
    Refused,
}

/// The rule that refuses an action, with its numbers. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Violation {
    #[error("the match is over")]
    MatchOver,
    #[error("the hand is over")]
    HandOver,
    #[error("nothing is laid off after gin or big gin")]
    NoLayoffAfterGin,
    #[error("it is seat {}'s turn", to_act.number())]
    NotYourTurn { to_act: Seat },
    #[error("not possible while the hand waits for {}", phase.waits_for())]
    WrongPhase { phase: Phase },
    #[error("there is nothing to pass: draw a card")]
    NoPass,
    #[error("both players refused the upcard: draw from the stock")]
    MustDrawStock,
    #[error("the last discard may only be taken to knock, and these cards allow none")]
    NoLastChance,
    #[error("the last discard was taken to knock: knock or declare big gin")]
    MustKnock,
    #[error("big gin is off in this match")]
    BigGinOff,
    #[error("{card} is not in your hand")]
    CardNotInHand { card: Card },
    #[error("{card} was just taken from the discard pile: discard another card")]
    DiscardJustTaken { card: Card },
    #[error("{0}")]
    BadMelds(BadMelds),
    #[error("{card} does not fit meld {meld_index}")]
    DoesNotFit { card: Card, meld_index: usize },
    #[error("{deadwood} deadwood points are more than the knock limit of {limit}")]
    OverKnockLimit { deadwood: u32, limit: u32 },
    #[error("not all eleven cards are in melds: {deadwood} deadwood points are left")]
    NotAllMelded { deadwood: u32 },
}

impl Phase {
    /// The phase in words, for a sentence.
    #[must_use]
    pub const fn waits_for(self) -> &'static str {
        match self {
            Self::Upcard => "the upcard to be taken or passed",
            Self::Draw => "a draw",
            Self::Discard => "a discard or a knock",
            Self::Layoff => "the defender's layoffs",
            Self::LastChance => "the last discard to be taken or passed",
            Self::Over => "nothing: it is over",
        }
    }
}

impl From<BadMelds> for Violation {
    fn from(problem: BadMelds) -> Self {
        Self::BadMelds(problem)
    }
}
