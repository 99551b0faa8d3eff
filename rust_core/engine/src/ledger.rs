//! The score of a match: hand points, boxes, bonuses, and Hollywood's three columns.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use crate::rules::{Rules, Shutout};
use crate::seat::Seat;

/// One player's score in one column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoreColumn {
    pub hand_points: u32,
    /// Hands won.
    pub boxes: u32,
    /// What the boxes are worth, once they count: at once or at the end.
    pub box_bonus: u32,
    pub game_bonus: u32,
    pub shutout_bonus: u32,
    pub total: u32,
    /// The column takes no more points.
    pub closed: bool,
    /// This player reached the target in it.
    pub won: bool,
}

/// One player's score: one column, or three under Hollywood.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoreSheet {
    pub columns: ArrayVec<ScoreColumn, 3>,
    pub total: u32,
}

/// One column of both players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Column {
    hand_points: [u32; 2],
    boxes: [u32; 2],
    winner: Option<Seat>,
}

/// The running score of a match.
///
/// ```
/// use ginrummy_engine::{Ledger, Ruleset, Seat};
/// let mut ledger = Ledger::new(&Ruleset::named("short").unwrap().rules);
/// ledger.record(Seat::One, 50);
/// let [won, lost] = ledger.sheets();
/// // A shutout in `short`: twice the 50 points, one box, the game bonus.
/// assert_eq!((ledger.winner(), won.total, lost.total), (Some(Seat::One), 225, 0));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    rules: Rules,
    columns: ArrayVec<Column, 3>,
    wins: [usize; 2],
    /// The column in which a player's first won hand scored.
    entry: [Option<usize>; 2],
}

impl Ledger {
    #[must_use]
    pub fn new(rules: &Rules) -> Self {
        let columns = if rules.hollywood { 3 } else { 1 };
        Self {
            rules: *rules,
            columns: std::iter::repeat_n(Column::default(), columns).collect(),
            wins: [0; 2],
            entry: [None; 2],
        }
    }

    /// Enters a won hand. A dead hand is not entered.
    ///
    /// A player's n-th won hand scores in n columns, from the one that was the lowest open when he
    /// won his first; closed columns take nothing.
    pub fn record(&mut self, winner: Seat, points: u32) {
        let Some(lowest_open) = self
            .columns
            .iter()
            .position(|column| column.winner.is_none())
        else {
            return;
        };
        let player = winner.index();
        self.wins[player] += 1;
        let entry = *self.entry[player].get_or_insert(lowest_open);
        let end = (entry + self.wins[player]).min(self.columns.len());
        for index in entry..end {
            let column = &mut self.columns[index];
            if column.winner.is_none() {
                column.hand_points[player] += points;
                column.boxes[player] += 1;
                if self.rules.target == 0
                    || running_points(&self.rules, column, winner) >= self.rules.target
                {
                    column.winner = Some(winner);
                }
            }
        }
    }

    /// All columns are closed.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.columns.iter().all(|column| column.winner.is_some())
    }

    /// Who won, once all columns are closed: in one column who reached its target, under Hollywood
    /// the larger total, then more columns.
    #[must_use]
    pub fn winner(&self) -> Option<Seat> {
        if !self.is_over() {
            return None;
        }
        let columns_won = |seat| {
            self.columns
                .iter()
                .filter(|c| c.winner == Some(seat))
                .count()
        };
        if self.columns.len() == 1 {
            return self.columns[0].winner;
        }
        let [one, two] = self.sheets();
        let order = (one.total, columns_won(Seat::One)).cmp(&(two.total, columns_won(Seat::Two)));
        Some(if order.is_gt() { Seat::One } else { Seat::Two })
    }

    /// Both players' sheets. A closed column holds its final total with all bonuses, an open one
    /// the points that count towards the target.
    #[must_use]
    pub fn sheets(&self) -> [ScoreSheet; 2] {
        Seat::BOTH.map(|seat| {
            let columns: ArrayVec<_, 3> = self
                .columns
                .iter()
                .map(|column| score(&self.rules, column, seat))
                .collect();
            let total = columns.iter().map(|column| column.total).sum();
            ScoreSheet { columns, total }
        })
    }

    /// Of each column how many points each player lacks, or who has won it.
    pub(crate) fn points_to_go(&self, target: u32) -> ArrayVec<Result<[u32; 2], Seat>, 3> {
        let to_go = |column: &Column| match column.winner {
            Some(winner) => Err(winner),
            None => Ok(Seat::BOTH
                .map(|seat| target.saturating_sub(running_points(&self.rules, column, seat)))),
        };
        self.columns.iter().map(to_go).collect()
    }

    /// Points that count towards the target, in the first open column (else the last).
    #[must_use]
    pub fn running(&self) -> [u32; 2] {
        let open = self.columns.iter().find(|column| column.winner.is_none());
        let column = open.or(self.columns.last()).copied().unwrap_or_default();
        Seat::BOTH.map(|seat| running_points(&self.rules, &column, seat))
    }
}

fn running_points(rules: &Rules, column: &Column, seat: Seat) -> u32 {
    let boxes = if rules.boxes_immediate {
        column.boxes[seat.index()] * rules.box_bonus
    } else {
        0
    };
    column.hand_points[seat.index()] + boxes
}

fn score(rules: &Rules, column: &Column, seat: Seat) -> ScoreColumn {
    let hand_points = column.hand_points[seat.index()];
    let boxes = column.boxes[seat.index()];
    let closed = column.winner.is_some();
    let won = column.winner == Some(seat);
    let box_bonus = if closed || rules.boxes_immediate {
        boxes * rules.box_bonus
    } else {
        0
    };
    let game_bonus = if won { rules.game_bonus } else { 0 };
    let is_shutout = won && column.boxes[seat.opponent().index()] == 0;
    let shutout_bonus = if is_shutout {
        match rules.shutout {
            Shutout::None => 0,
            Shutout::DoubleGameBonus => game_bonus,
            Shutout::DoubleHandPoints => hand_points,
            Shutout::DoubleTotal => hand_points + box_bonus + game_bonus,
            Shutout::DoubleTotalBeforeBoxes => hand_points + game_bonus,
            Shutout::FlatBonus => rules.shutout_flat_bonus,
        }
    } else {
        0
    };
    let total = hand_points + box_bonus + game_bonus + shutout_bonus;
    ScoreColumn {
        hand_points,
        boxes,
        box_bonus,
        game_bonus,
        shutout_bonus,
        total,
        closed,
        won,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Overrides;
    use crate::ruleset::Ruleset;

    fn hollywood() -> Ledger {
        let overrides = Overrides {
            hollywood: Some(true),
            ..Overrides::default()
        };
        Ledger::new(&Ruleset::named("solo").unwrap().with(overrides).unwrap())
    }

    fn points(ledger: &Ledger) -> Vec<[u32; 2]> {
        let [one, two] = ledger.sheets();
        one.columns
            .iter()
            .zip(&two.columns)
            .map(|(a, b)| [a.hand_points, b.hand_points])
            .collect()
    }

    #[test]
    fn the_first_win_scores_in_one_column_the_third_in_all() {
        let mut ledger = hollywood();
        for points in [10, 20, 30] {
            ledger.record(Seat::One, points);
        }
        assert_eq!(points(&ledger), [[60, 0], [50, 0], [30, 0]]);
    }

    #[test]
    fn who_first_wins_after_column_one_closed_enters_in_the_lowest_open_column() {
        let mut ledger = hollywood();
        ledger.record(Seat::One, 60);
        ledger.record(Seat::One, 40); // closes column 1
        ledger.record(Seat::Two, 7); // enters in column 2 alone
        assert_eq!(points(&ledger), [[100, 0], [40, 7], [0, 0]]);
        ledger.record(Seat::Two, 5); // second win: columns 2 and 3
        assert_eq!(points(&ledger), [[100, 0], [40, 12], [0, 5]]);
    }

    #[test]
    fn a_closed_column_takes_no_more_points_and_the_match_ends_with_the_third() {
        let mut ledger = hollywood();
        for _ in 0..3 {
            ledger.record(Seat::One, 100);
        }
        assert_eq!(points(&ledger), [[100, 0], [100, 0], [100, 0]]);
        assert!(ledger.is_over());
        assert_eq!(ledger.winner(), Some(Seat::One));
    }

    #[test]
    fn immediate_boxes_count_towards_the_target_and_are_never_added_twice() {
        let overrides = Overrides {
            boxes_immediate: Some(true),
            box_bonus: Some(10),
            ..Overrides::default()
        };
        let mut ledger = Ledger::new(&Ruleset::named("solo").unwrap().with(overrides).unwrap());
        ledger.record(Seat::One, 85);
        assert_eq!(ledger.running(), [95, 0]);
        ledger.record(Seat::Two, 30);
        assert!(!ledger.is_over());
        ledger.record(Seat::One, 1);
        assert_eq!(ledger.sheets().map(|sheet| sheet.total), [106, 40]);
        assert!(ledger.is_over());
    }
}
