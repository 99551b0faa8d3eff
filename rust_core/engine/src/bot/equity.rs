//! What the end of a hand is worth to a seat: points, or the chance to win the match.

use std::sync::OnceLock;

use crate::ledger::Ledger;
use crate::rules::Rules;
use crate::seat::Seat;
use crate::view::SeatView;

/// The most deadwood points that ten cards hold.
const MOST_DEADWOOD: u32 = 100;
/// A match is looked at as one to so many points at most.
const SPAN: usize = 100;

/// The worth of every end of a hand to one seat.
pub(super) struct Worth {
    /// By winner, then points.
    of_win: [Vec<f32>; 2],
    of_dead: f32,
}

impl Worth {
    /// Where the match's score is known, the chance to win it; else points.
    pub(super) fn of(view: &SeatView<'_>) -> Self {
        match view.standing() {
            Some(standing) => Self::of_match(view, standing),
            None => Self::of_points(view),
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "points are small")]
    fn of_points(view: &SeatView<'_>) -> Self {
        let of_win = Seat::BOTH.map(|winner| {
            let sign = if winner == view.seat() { 1.0 } else { -1.0 };
            (0..=most_points(view))
                .map(|points| sign * points as f32)
                .collect()
        });
        Self {
            of_win,
            of_dead: 0.0,
        }
    }

    fn of_match(view: &SeatView<'_>, standing: &Ledger) -> Self {
        let (rules, seat) = (view.rules(), view.seat());
        let of_win = Seat::BOTH.map(|winner| {
            (0..=most_points(view))
                .map(|points| {
                    let mut after = standing.clone();
                    after.record(winner, points);
                    chance_to_win(rules, &after, seat)
                })
                .collect()
        });
        Self {
            of_win,
            of_dead: chance_to_win(rules, standing, seat),
        }
    }

    /// What one point more is worth to the seat, over the ends that are common.
    pub(super) fn of_a_point(&self) -> f32 {
        const COMMON: u32 = 20;
        let [one, two] = Seat::BOTH.map(|winner| self.of_end(Some(winner), COMMON));
        #[allow(clippy::cast_precision_loss, reason = "a few points")]
        let points = 2.0 * COMMON as f32;
        (one - two).abs() / points
    }

    pub(super) fn of_end(&self, winner: Option<Seat>, points: u32) -> f32 {
        let Some(winner) = winner else {
            return self.of_dead;
        };
        let table = &self.of_win[winner.index()];
        table[(points as usize).min(table.len() - 1)]
    }
}

/// The most that the hand can bring: every end up to it has an entry of its own.
fn most_points(view: &SeatView<'_>) -> u32 {
    let rules = view.rules();
    let bonus = rules
        .gin_bonus
        .max(rules.big_gin_bonus)
        .max(rules.undercut_bonus);
    (bonus + MOST_DEADWOOD) * if view.points_doubled() { 2 } else { 1 }
}

/// The mean over the columns, of which only Hollywood has more than one.
#[allow(
    clippy::cast_precision_loss,
    reason = "there are three columns at most"
)]
fn chance_to_win(rules: &Rules, standing: &Ledger, seat: Seat) -> f32 {
    if standing.is_over() {
        return if standing.winner() == Some(seat) {
            1.0
        } else {
            0.0
        };
    }
    let columns = standing.points_to_go(rules.target);
    let chances = columns.iter().map(|to_go| match to_go {
        Ok(to_go) => chance_from(to_go[seat.index()], to_go[seat.opponent().index()]),
        Err(winner) if *winner == seat => 1.0,
        Err(_) => 0.0,
    });
    chances.sum::<f32>() / columns.len() as f32
}

/// The chance to win a match for who needs so many points before the other gets his.
fn chance_from(mine: u32, theirs: u32) -> f32 {
    static CHANCES: OnceLock<Vec<f32>> = OnceLock::new();
    let chances = CHANCES.get_or_init(chances);
    let (mut mine, mut theirs) = (mine as usize, theirs as usize);
    let longest = mine.max(theirs);
    if longest > SPAN {
        mine = (mine * SPAN).div_ceil(longest);
        theirs = (theirs * SPAN).div_ceil(longest);
    }
    chances[mine * (SPAN + 1) + theirs]
}

/// How often a won hand brings 1 to 5 points, 6 to 10 and so on: counted over 4,676 hands of two
/// experts with 64 worlds a decision. Most are gins, which bring their bonus and some deadwood.
const WON_POINTS: [f32; 16] = [
    0.049, 0.024, 0.014, 0.015, 0.025, 0.364, 0.224, 0.111, 0.058, 0.036, 0.029, 0.020, 0.015,
    0.007, 0.004, 0.003,
];

/// By points to go of both, when either is as likely to win a hand.
#[allow(clippy::cast_precision_loss, reason = "points are small")]
fn chances() -> Vec<f32> {
    let total: f32 = WON_POINTS.iter().sum::<f32>() * 5.0;
    let steps: Vec<(usize, f32)> = (1..)
        .zip(WON_POINTS.iter().flat_map(|share| [share / total; 5]))
        .collect();
    let mut chances = vec![0.0; (SPAN + 1) * (SPAN + 1)];
    for mine in 0..=SPAN {
        for theirs in 0..=SPAN {
            let chance = match (mine, theirs) {
                (0, 0) => 0.5,
                (0, _) => 1.0,
                (_, 0) => 0.0,
                _ => steps
                    .iter()
                    .map(|(points, share)| {
                        let won = chances[mine.saturating_sub(*points) * (SPAN + 1) + theirs];
                        let lost = chances[mine * (SPAN + 1) + theirs.saturating_sub(*points)];
                        share * (won + lost) / 2.0
                    })
                    .sum(),
            };
            chances[mine * (SPAN + 1) + theirs] = chance;
        }
    }
    chances
}
