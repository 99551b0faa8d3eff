//! What matches come to, in whole numbers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::{Event, HandResult, MatchResult, Outcome};
use crate::seat::Seat;

/// The seat of a pairing's first bot: seats become sides, 0 for the first bot and 1 for the second.
#[derive(Clone, Copy)]
pub(super) struct Sides(pub(super) Seat);

impl Sides {
    pub(super) fn of(self, seat: Seat) -> usize {
        usize::from(seat != self.0)
    }
}

/// How many hands one side won, by how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandEnds {
    pub knocks: u64,
    pub gins: u64,
    pub big_gins: u64,
    pub undercuts: u64,
}

/// What the matches of a pairing come to. Arrays are by side, differences the first less the second.
///
/// The squares are sums over deals, each of which is one observation: its two matches share their
/// cards, and the hands of a match their players' fortunes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    pub deals: u64,
    pub matches: u64,
    pub wins: [u64; 2],
    /// Aborted, as they did not end; won by nobody, all else of them counts.
    pub unfinished: u64,
    /// Final totals.
    pub totals: [u64; 2],
    /// Dead hands too.
    pub hands: u64,
    pub ends: [HandEnds; 2],
    pub dead_hands: u64,
    /// Level where that scores nothing.
    pub tied_hands: u64,
    /// Hands by their difference of points.
    pub hand_points: BTreeMap<i64, u64>,
    /// Of the difference of wins.
    pub win_squares: u128,
    /// Of the difference of totals.
    pub total_squares: u128,
    /// Of the difference of hand points.
    pub point_squares: u128,
    /// Of the number of hands.
    pub hand_squares: u128,
    /// Of the difference of hand points times the number of hands.
    pub points_times_hands: i128,
}

impl Tally {
    /// Adds other deals of the same pairing, in whatever order.
    pub fn add(&mut self, other: &Self) {
        self.deals += other.deals;
        self.matches += other.matches;
        self.unfinished += other.unfinished;
        self.hands += other.hands;
        self.dead_hands += other.dead_hands;
        self.tied_hands += other.tied_hands;
        for side in 0..2 {
            self.wins[side] += other.wins[side];
            self.totals[side] += other.totals[side];
            self.ends[side].knocks += other.ends[side].knocks;
            self.ends[side].gins += other.ends[side].gins;
            self.ends[side].big_gins += other.ends[side].big_gins;
            self.ends[side].undercuts += other.ends[side].undercuts;
        }
        for (points, hands) in &other.hand_points {
            *self.hand_points.entry(*points).or_default() += hands;
        }
        self.win_squares += other.win_squares;
        self.total_squares += other.total_squares;
        self.point_squares += other.point_squares;
        self.hand_squares += other.hand_squares;
        self.points_times_hands += other.points_times_hands;
    }
}

/// One deal, while its matches are played.
#[derive(Default)]
pub(super) struct DealTally {
    tally: Tally,
    points: i64,
}

impl DealTally {
    /// The hands that ended with these events.
    pub(super) fn count_hands(&mut self, events: &[Event], sides: Sides) {
        for event in events {
            if let Event::HandScored(scored) = event {
                self.count_hand(&scored.result, sides);
            }
        }
    }

    fn count_hand(&mut self, result: &HandResult, sides: Sides) {
        let tally = &mut self.tally;
        tally.hands += 1;
        let points = match result.winner.map(|seat| sides.of(seat)) {
            Some(0) => i64::from(result.points),
            Some(_) => -i64::from(result.points),
            None => 0,
        };
        self.points += points;
        *tally.hand_points.entry(points).or_default() += 1;
        let ends = result.winner.map(|seat| &mut tally.ends[sides.of(seat)]);
        match (result.outcome, ends) {
            (Outcome::Knock, Some(ends)) => ends.knocks += 1,
            (Outcome::Gin, Some(ends)) => ends.gins += 1,
            (Outcome::BigGin, Some(ends)) => ends.big_gins += 1,
            (Outcome::Undercut, Some(ends)) => ends.undercuts += 1,
            (Outcome::Tie, _) => tally.tied_hands += 1,
            (_, _) => tally.dead_hands += 1,
        }
    }

    pub(super) fn count_match(&mut self, result: &MatchResult, sides: Sides) {
        self.tally.matches += 1;
        match result.winner {
            Some(winner) => self.tally.wins[sides.of(winner)] += 1,
            None => self.tally.unfinished += 1,
        }
        for seat in Seat::BOTH {
            let total = result.sheets[seat.index()].total;
            self.tally.totals[sides.of(seat)] += u64::from(total);
        }
    }

    /// The tally of the deal, once all its matches are counted.
    pub(super) fn whole(self) -> Tally {
        let Self { tally, points } = self;
        let [wins, other_wins] = tally.wins.map(i128::from);
        let [total, other_total] = tally.totals.map(i128::from);
        let (points, hands) = (i128::from(points), i128::from(tally.hands));
        Tally {
            deals: 1,
            win_squares: square(wins - other_wins),
            total_squares: square(total - other_total),
            point_squares: square(points),
            hand_squares: square(hands),
            points_times_hands: points * hands,
            ..tally
        }
    }
}

fn square(number: i128) -> u128 {
    number.unsigned_abs().pow(2)
}
