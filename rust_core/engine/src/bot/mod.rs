//! Players without a person. A bot decides from a [`SeatView`] alone.

mod simple;

use crate::action::Action;
use crate::view::SeatView;

/// A player of a given kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bot {
    /// Knocks at the first chance; takes the upcard or discard when it lowers the deadwood.
    Simple,
}

impl Bot {
    pub const ALL: [Self; 1] = [Self::Simple];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
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

    /// The bot's action; `None` when it is not its seat's turn.
    #[must_use]
    pub fn decide(self, view: &SeatView<'_>) -> Option<Action> {
        match self {
            Self::Simple => simple::decide(view),
        }
    }
}
