//! Plays what is left of a run, on any number of threads, in an order that they do not change.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;

use ginrummy_engine::Rules;

use super::game::{Effort, Pair, play_pair};
use super::players::Contestant;

/// What is played.
#[derive(Clone, Copy)]
pub struct Plan {
    pub contestants: [Contestant; 2],
    pub rules: Rules,
    pub seed: u64,
    /// Pairs in all.
    pub pairs: u32,
    pub threads: usize,
}

/// Plays the pairs from `first` on; `take` gets them in order, and ends the run with an error.
///
/// # Errors
/// The first that `take` gave.
pub fn play_from<E>(
    plan: &Plan,
    first: u32,
    mut take: impl FnMut(&Pair, &Effort) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicU32::new(first);
    let is_stopped = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..plan.threads {
            let (sender, next, is_stopped) = (sender.clone(), &next, &is_stopped);
            scope.spawn(move || {
                while !is_stopped.load(Ordering::Relaxed) {
                    let pair = next.fetch_add(1, Ordering::Relaxed);
                    if pair >= plan.pairs {
                        break;
                    }
                    let played = play_pair(&plan.rules, plan.contestants, plan.seed, pair);
                    if sender.send(played).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut wanted = first;
        for (pair, effort) in receiver {
            waiting.insert(pair.pair, (pair, effort));
            while let Some((pair, effort)) = waiting.remove(&wanted) {
                if let Err(error) = take(&pair, &effort) {
                    is_stopped.store(true, Ordering::Relaxed);
                    return Err(error);
                }
                wanted += 1;
            }
        }
        Ok(())
    })
}
