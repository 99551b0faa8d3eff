//! How strong the bots are: games to 100 between any two of them, on the same deals with the seats
//! swapped, all of them through the engine's own state machine.

pub mod game;
pub mod interval;
pub mod players;
pub mod results;
pub mod run;
pub mod summary;
