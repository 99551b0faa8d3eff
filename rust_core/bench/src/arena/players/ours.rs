//! The engine's own bots.

use ginrummy_engine::{Action, Bot, SeatView};

use super::Player;

pub struct Ours {
    bot: Bot,
}

impl Ours {
    pub const fn new(bot: Bot) -> Self {
        Self { bot }
    }
}

impl Player for Ours {
    fn decide(&mut self, view: &SeatView<'_>) -> Action {
        self.bot.decide(view).expect("it is its turn")
    }
}
