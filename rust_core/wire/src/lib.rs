//! What the engine tells, as messages of the API (`proto/ginrummy/v1`).
//!
//! Conversions in one direction and no rules: what a viewer may know the engine has decided
//! before.

#![forbid(unsafe_code)]

mod actions;
mod cards;
mod events;
mod view;

pub use events::{Place, match_event};
pub use prost::Message;
pub use view::view;

/// The messages, written by `make proto`.
#[allow(clippy::pedantic, unreachable_pub)]
pub mod v1 {
    include!("ginrummy.v1.rs");
}
