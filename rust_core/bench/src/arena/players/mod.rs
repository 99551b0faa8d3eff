//! Who can play in the arena, and what a player gets to know.

mod marjj;
mod ours;
mod peers;

use std::fmt;
use std::str::FromStr;

use gin_rummy_engine::{EaaiSimpleBot, McConfig, MonteCarloBot};
use ginrummy_engine::{Action, Bot, Deck, Event, Rules, Seat, SeatView};
use rand::SeedableRng;
use rand::rngs::StdRng;

pub use marjj::{Marjj, Weighed};
pub use peers::{Mirror, Peer};

/// A hand that begins, as the table knows it.
///
/// The whole deck is in it for those alone who deal the same hand in an engine of their own; who
/// decides there sees no more of it than a player may.
#[derive(Clone, Copy)]
pub struct Deal<'a> {
    pub rules: &'a Rules,
    pub deck: &'a Deck,
    pub dealer: Seat,
    /// The points before this hand, by seat.
    pub points: [u32; 2],
}

/// One side of a game.
pub trait Player {
    /// A hand begins, and this is where the player sits.
    fn sit_down(&mut self, _seat: Seat, _deal: &Deal<'_>) {}

    /// Something happened, as it looks from this seat.
    fn see(&mut self, _event: &Event) {}

    /// It is this player's turn.
    fn decide(&mut self, view: &SeatView<'_>) -> Action;
}

/// What chance numbers of a player begin with.
pub type ChanceSeed = [u8; 32];

/// A player by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contestant {
    /// A bot of this engine; how many worlds it samples, where that is not its usual number.
    Ours { bot: Bot, samples: Option<u32> },
    /// The style of the EAAI-2021 challenge's winner.
    Marjj,
    /// The challenge's baseline, of the crate `gin-rummy-engine`.
    EaaiSimple,
    /// The strongest bot of the crate `gin-rummy-engine`, and how many worlds it samples.
    MonteCarlo { samples: u32 },
}

impl Contestant {
    /// A player who has not yet sat down anywhere.
    #[must_use]
    pub fn arrive(self, chance: ChanceSeed) -> Box<dyn Player> {
        let random = StdRng::from_seed(chance);
        match self {
            Self::Ours { bot, samples } => Box::new(ours::Ours::new(bot, samples, random)),
            Self::Marjj => Box::new(Marjj::default()),
            Self::EaaiSimple => Box::new(Peer::new(EaaiSimpleBot::new(random))),
            Self::MonteCarlo { samples } => {
                Box::new(Peer::new(MonteCarloBot::new(random).samples(samples)))
            }
        }
    }
}

impl Contestant {
    /// The same player with so many samples; none for who samples nothing.
    fn with_samples(self, samples: u32) -> Option<Self> {
        match self {
            Self::MonteCarlo { .. } => Some(Self::MonteCarlo { samples }),
            Self::Ours { bot, .. } if bot.default_samples() > 0 => Some(Self::Ours {
                bot,
                samples: Some(samples),
            }),
            _ => None,
        }
    }
}

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ours {
                bot,
                samples: Some(samples),
            } => write!(f, "{}:{samples}", bot.name()),
            Self::Ours { bot, samples: None } => f.write_str(bot.name()),
            Self::Marjj => f.write_str("marjj"),
            Self::EaaiSimple => f.write_str("eaai-simple"),
            Self::MonteCarlo { samples } => write!(f, "monte-carlo:{samples}"),
        }
    }
}

impl FromStr for Contestant {
    type Err = String;

    /// Reads `marjj`, `eaai-simple`, a bot's name, `monte-carlo`, and `expert:64` or
    /// `monte-carlo:64` for another number of samples.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        let player = match name {
            "marjj" => Self::Marjj,
            "eaai-simple" => Self::EaaiSimple,
            "monte-carlo" => Self::MonteCarlo {
                samples: McConfig::new().samples,
            },
            name => match Bot::named(name) {
                Some(bot) => Self::Ours { bot, samples: None },
                None => {
                    return Err(format!(
                        "{name}: no such player; there are {}",
                        names().join(", ")
                    ));
                }
            },
        };
        match number.map(str::parse::<u32>) {
            None => Ok(player),
            Some(Ok(samples)) if samples > 0 => player
                .with_samples(samples)
                .ok_or_else(|| format!("{text}: {name} samples nothing")),
            Some(_) => Err(format!("{text}: the number of samples is 1 or more")),
        }
    }
}

/// Every player's name.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let ours = Bot::ALL.iter().map(|bot| bot.name());
    ours.chain(["marjj", "eaai-simple", "monte-carlo"])
        .collect()
}
