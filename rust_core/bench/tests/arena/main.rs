//! The arena: its players, its results and what they say.

mod agreement;
mod intervals;
mod marjj;
mod resuming;
