//! The engine's own bots.

use ginrummy_engine::{Action, Bot, SeatView, Thinking};
use rand::Rng;
use rand::rngs::StdRng;

use super::Player;

/// A bot, with chance numbers of its own for each decision.
pub struct Ours {
    bot: Bot,
    samples: Option<u32>,
    random: StdRng,
}

impl Ours {
    pub const fn new(bot: Bot, samples: Option<u32>, random: StdRng) -> Self {
        Self {
            bot,
            samples,
            random,
        }
    }
}

impl Player for Ours {
    fn decide(&mut self, view: &SeatView<'_>) -> Action {
        let thinking = Thinking {
            seed: self.random.next_u64(),
            samples: self.samples,
            ..Thinking::default()
        };
        self.bot.decide(view, &thinking).expect("it is its turn")
    }
}
