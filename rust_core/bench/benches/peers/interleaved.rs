//! Two ways of doing the same, timed in turn in short slices, so that a busy moment of the machine
//! spoils neither's figure alone. Times are this thread's own: what other programs take of the
//! core is not counted.

use std::fmt;

use rustix::time::{ClockId, clock_gettime};

const ROUNDS: usize = 201;
/// Long beside the clock's own cost, short beside a machine's busy and quiet times.
const SLICE_NS: i64 = 2_000_000;

/// How two ways compare.
pub struct Comparison {
    /// Median ns a call.
    pub ours: f64,
    pub theirs: f64,
    /// How many times as fast ours was within a round: lower quartile, median, upper quartile.
    pub times: [f64; 3],
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            ours,
            theirs,
            times: [low, median, high],
        } = self;
        write!(
            f,
            "{median:.1} times as fast (quartiles {low:.1}-{high:.1}); ns: {ours:.1} ours, {theirs:.1} theirs"
        )
    }
}

/// Times passes of `calls` calls each, ours and theirs in turn.
pub fn compare(calls: usize, mut ours: impl FnMut(), mut theirs: impl FnMut()) -> Comparison {
    let our_passes = passes_in_a_slice(&mut ours);
    let their_passes = passes_in_a_slice(&mut theirs);
    let (mut our_ns, mut their_ns, mut times) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let (mine, other);
        if round % 2 == 0 {
            mine = ns_a_call(&mut ours, our_passes, calls);
            other = ns_a_call(&mut theirs, their_passes, calls);
        } else {
            other = ns_a_call(&mut theirs, their_passes, calls);
            mine = ns_a_call(&mut ours, our_passes, calls);
        }
        our_ns.push(mine);
        their_ns.push(other);
        times.push(other / mine);
    }
    let times = sorted(times);
    Comparison {
        ours: sorted(our_ns)[ROUNDS / 2],
        theirs: sorted(their_ns)[ROUNDS / 2],
        times: [
            times[ROUNDS / 4],
            times[ROUNDS / 2],
            times[ROUNDS - 1 - ROUNDS / 4],
        ],
    }
}

/// How many passes last about a slice; warms up too.
fn passes_in_a_slice(pass: &mut impl FnMut()) -> u32 {
    let mut passes = 0;
    let began = thread_ns();
    while thread_ns() - began < SLICE_NS || passes < 3 {
        pass();
        passes += 1;
    }
    passes
}

#[allow(
    clippy::cast_precision_loss,
    reason = "counts of calls and a run's ns are small"
)]
fn ns_a_call(pass: &mut impl FnMut(), passes: u32, calls: usize) -> f64 {
    let began = thread_ns();
    for _ in 0..passes {
        pass();
    }
    (thread_ns() - began) as f64 / f64::from(passes) / calls as f64
}

/// Processor time that this thread has had.
fn thread_ns() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}
