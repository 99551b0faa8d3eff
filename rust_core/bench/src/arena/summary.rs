//! What the results say: as lines of progress, as a table, as JSON.

use std::time::Duration;

use serde_json::{Value, json};

use super::game::{Effort, Pair};
use super::interval::{Share, share_of_pairs};
use super::results::Header;

/// The results of a run so far.
#[derive(Clone, Copy, Default)]
pub struct Summary {
    /// Pairs of which contestant one won 0, 1 and 2 games.
    pub pairs: [u32; 3],
    pub hands: u32,
    pub dead: u32,
    /// Of each contestant: points, hands won by a knock, by gin, by an undercut.
    pub sides: [[u32; 4]; 2],
}

impl Summary {
    #[must_use]
    pub fn of(pairs: &[Pair]) -> Self {
        let mut summary = Self::default();
        for pair in pairs {
            summary.add(pair);
        }
        summary
    }

    pub fn add(&mut self, pair: &Pair) {
        self.pairs[pair.wins() as usize] += 1;
        for game in &pair.games {
            self.hands += game.hands;
            self.dead += game.dead;
            for (sums, side) in self.sides.iter_mut().zip(game.sides) {
                let counts = [side.points, side.knocks, side.gins, side.undercuts];
                for (sum, count) in sums.iter_mut().zip(counts) {
                    *sum += count;
                }
            }
        }
    }

    #[must_use]
    pub fn games(&self) -> u32 {
        2 * self.pairs.iter().sum::<u32>()
    }

    #[must_use]
    pub fn wins(&self) -> u32 {
        self.pairs[1] + 2 * self.pairs[2]
    }

    /// Contestant one's share of the games.
    #[must_use]
    pub fn share(&self) -> Share {
        share_of_pairs(self.pairs)
    }

    /// The standing, and how long the rest takes at this rate.
    #[must_use]
    pub fn progress(&self, header: &Header, played_now: u32, elapsed: Duration) -> String {
        let rate = f64::from(played_now) / elapsed.as_secs_f64();
        let left = f64::from(header.games - self.games()) / rate;
        format!(
            "{} {} after {} of {} games, {rate:.1} games/s, {} left",
            header.one,
            percent(self.share()),
            self.games(),
            header.games,
            duration(left),
        )
    }

    /// The results as a Markdown table of one row and what else is of interest below.
    #[must_use]
    pub fn table(&self, header: &Header) -> String {
        let side = |name: &str, [points, knocks, gins, undercuts]: [u32; 4]| {
            format!(
                "{name}: {:.1} points a game; hands won {knocks} by knock, {gins} by gin, {undercuts} by undercut",
                f64::from(points) / f64::from(self.games().max(1)),
            )
        };
        let [lost, split, won] = self.pairs;
        format!(
            "| | against | games | won | share (95 %) |\n|---|---|---|---|---|\n\
             | `{}` | `{}` | {} | {} | {} |\n\n\
             pairs: {won} won, {split} shared, {lost} lost; {} hands, {} dead\n{}\n{}",
            header.one,
            header.two,
            self.games(),
            self.wins(),
            percent(self.share()),
            self.hands,
            self.dead,
            side(&header.one, self.sides[0]),
            side(&header.two, self.sides[1]),
        )
    }

    #[must_use]
    pub fn json(&self, header: &Header) -> Value {
        let share = self.share();
        let side = |[points, knocks, gins, undercuts]: [u32; 4]| json!({"points": points, "knocks": knocks, "gins": gins, "undercuts": undercuts});
        json!({
            "run": header,
            "games": self.games(),
            "won": self.wins(),
            "share": share.share,
            "low": share.low,
            "high": share.high,
            "pairs": {"lost": self.pairs[0], "shared": self.pairs[1], "won": self.pairs[2]},
            "hands": self.hands,
            "dead": self.dead,
            "sides": self.sides.map(side),
        })
    }
}

/// Processor time of each contestant: a decision and a game.
#[must_use]
#[allow(
    clippy::cast_precision_loss,
    reason = "a run's nanoseconds fit well enough"
)]
pub fn effort(header: &Header, effort: &Effort, games: u32) -> String {
    let told = |name: &str, side: usize| {
        let (ns, decisions) = (effort.ns[side] as f64, effort.decisions[side].max(1) as f64);
        format!(
            "{name}: {:.3} ms a decision, {:.3} s a game",
            ns / decisions / 1e6,
            ns / f64::from(games.max(1)) / 1e9,
        )
    };
    format!("{}; {}", told(&header.one, 0), told(&header.two, 1))
}

fn percent(share: Share) -> String {
    format!(
        "{:.1} % ({:.1}-{:.1})",
        100.0 * share.share,
        100.0 * share.low,
        100.0 * share.high
    )
}

fn duration(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("{seconds:.0} s")
    } else {
        format!("{:.0} min", seconds / 60.0)
    }
}
