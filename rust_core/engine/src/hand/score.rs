//! The score of a hand.

use serde::Serialize;

use super::Hand;
use crate::action::Phase;
use crate::arrangement::Arrangement;
use crate::event::{HandResult, KnockKind, Outcome};
use crate::layoff::{Defence, Layoffs};
use crate::rules::Rules;

/// What a showdown is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct HandScore {
    pub outcome: Outcome,
    /// `None`: a tie that scores nothing.
    pub knocker_wins: Option<bool>,
    /// The winner's points, bonus included, doubling not.
    pub points: u32,
    pub bonus: u32,
}

/// Scores a showdown from both deadwood points, the defender's after his layoffs.
///
/// ```
/// use ginrummy_engine::{KnockKind, Outcome, Ruleset, score_hand};
/// let score = score_hand(&Ruleset::named("short").unwrap().rules, KnockKind::Knock, 10, 0);
/// assert_eq!((score.outcome, score.knocker_wins, score.points), (Outcome::Undercut, Some(false), 35));
/// ```
#[must_use]
pub fn score_hand(rules: &Rules, kind: KnockKind, knocker: u32, defender: u32) -> HandScore {
    let won = |outcome, knocker_wins, difference: u32, bonus| HandScore {
        outcome,
        knocker_wins: Some(knocker_wins),
        points: difference + bonus,
        bonus,
    };
    match kind {
        KnockKind::Gin => won(Outcome::Gin, true, defender, rules.gin_bonus),
        KnockKind::BigGin => won(Outcome::BigGin, true, defender, rules.big_gin_bonus),
        KnockKind::Knock if defender > knocker => won(Outcome::Knock, true, defender - knocker, 0),
        KnockKind::Knock if defender == knocker && !rules.undercut_on_tie => HandScore {
            outcome: Outcome::Tie,
            knocker_wins: None,
            points: 0,
            bonus: 0,
        },
        KnockKind::Knock => won(
            Outcome::Undercut,
            false,
            knocker - defender,
            rules.undercut_bonus,
        ),
    }
}

impl Hand {
    pub(super) fn end_dead(&mut self) {
        self.end(HandResult {
            outcome: Outcome::Dead,
            knocker: None,
            winner: None,
            points: 0,
            bonus: 0,
            doubled: false,
            arrangements: None,
            layoffs: Layoffs::new(),
        });
    }

    pub(super) fn end_scored(&mut self, defence: Defence) {
        let showdown = self
            .showdown
            .as_deref()
            .expect("a hand is scored after a knock");
        let knocker = showdown.seat;
        let score = score_hand(
            &self.rules,
            showdown.kind,
            showdown.deadwood_points,
            defence.arrangement.deadwood_points,
        );
        let doubled = self.points_doubled() && score.knocker_wins.is_some();
        let mut arrangements = [defence.arrangement.clone(), defence.arrangement];
        arrangements[knocker.index()] = Arrangement {
            melds: showdown.melds.clone(),
            deadwood: showdown.deadwood,
            deadwood_points: showdown.deadwood_points,
        };
        self.end(HandResult {
            outcome: score.outcome,
            knocker: Some(knocker),
            winner: score
                .knocker_wins
                .map(|wins| if wins { knocker } else { knocker.opponent() }),
            points: if doubled {
                2 * score.points
            } else {
                score.points
            },
            bonus: score.bonus,
            doubled,
            arrangements: Some(arrangements),
            layoffs: defence.layoffs,
        });
    }

    fn end(&mut self, result: HandResult) {
        self.result = Some(Box::new(result));
        self.phase = Phase::Over;
        self.drawn = None;
    }
}
