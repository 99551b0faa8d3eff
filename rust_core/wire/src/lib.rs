//! What the engine tells, as messages of the API (`proto/ginrummy/v1`).
//!
//! Conversions and no rules: what a viewer may know the engine has decided before. Requests are read
//! here too where they hold thousands of cards.

#![forbid(unsafe_code)]

mod actions;
mod analysis;
mod cards;
mod events;
mod view;

pub use actions::action;
pub use analysis::{BadField, analyze_hands, find_layoffs, read_hand};
pub use events::{Place, match_event};
pub use prost::{DecodeError, Message};
pub use view::view;

/// The messages, written by `make proto`.
#[allow(clippy::pedantic, clippy::large_enum_variant, unreachable_pub)]
pub mod v1 {
    include!("ginrummy.v1.rs");
}
