//! The expert: imagines the hidden cards many times over, plays each candidate action out in every
//! such world, and takes the one that is worth most.
//!
//! All candidates are tried in the same worlds, so that luck strikes them alike. Until many worlds
//! have been seen the heuristic's opinion counts too: without it the best of several noisy figures
//! is too often a lucky one, which costs more games than anything else here.

use std::cmp::Ordering;

use super::Thinking;
use super::belief::Belief;
use super::dice::Dice;
use super::equity::Worth;
use super::heuristic::{self, STYLE};
use super::playout::{FOR_GIN, Plan, play_out};
use crate::action::{Action, Phase, Pile};
use crate::hand::Hand;
use crate::view::SeatView;

/// Worlds between two looks at which candidates are still worth trying.
const BATCH: u32 = 16;
/// A candidate that is behind by so many standard errors is dropped.
const HOPELESS: f32 = 3.0;
/// Discards looked at, the best by the heuristic.
const MOST_DISCARDS: usize = 6;
/// So many worlds weigh as much as the heuristic's opinion.
const DOUBT: f32 = 200.0;
/// What a point of the heuristic's cost is worth, in points of the hand.
const OPINION: f32 = 0.4;

/// An action and what has come of it so far.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) action: Action,
    /// What the heuristic says against it, first in its points, then in units of worth.
    objection: f32,
    /// What the hand was worth at its end, world by world.
    worths: Vec<f32>,
    sum: f32,
    points: f32,
    wins: f32,
    undercuts: f32,
    is_alive: bool,
}

impl Candidate {
    fn new(action: Action, objection: f32) -> Self {
        Self {
            action,
            objection,
            worths: Vec::new(),
            sum: 0.0,
            points: 0.0,
            wins: 0.0,
            undercuts: 0.0,
            is_alive: true,
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "worlds are few")]
    fn worlds(&self) -> f32 {
        self.worths.len().max(1) as f32
    }

    /// The mean over the worlds.
    pub(super) fn worth(&self) -> f32 {
        self.sum / self.worlds()
    }

    pub(super) fn points(&self) -> f32 {
        self.points / self.worlds()
    }

    pub(super) fn win_chance(&self) -> f32 {
        self.wins / self.worlds()
    }

    pub(super) fn undercut_chance(&self) -> f32 {
        self.undercuts / self.worlds()
    }

    /// The mean with the heuristic's opinion, which fades as worlds are seen.
    fn estimate(&self) -> f32 {
        self.worth() - self.objection * DOUBT / (DOUBT + self.worlds())
    }

    fn try_in(&mut self, world: &Hand, view: &SeatView<'_>, worth: &Worth) {
        let seat = view.seat();
        let mut hand = world.clone();
        let mut plans = [Plan::AT_ONCE; 2];
        plans[seat.index()] = FOR_GIN;
        let (winner, points) = match hand.apply(seat, &self.action) {
            Ok(_) => play_out(&mut hand, plans),
            Err(_) => (Some(seat.opponent()), 0),
        };
        let gained = worth.of_end(winner, points);
        self.worths.push(gained);
        self.sum += gained;
        #[allow(clippy::cast_precision_loss, reason = "points are small")]
        let points = points as f32;
        if winner == Some(seat) {
            self.wins += 1.0;
            self.points += points;
        } else if winner.is_some() {
            self.points -= points;
            let knocker = hand.result().and_then(|result| result.knocker);
            self.undercuts += f32::from(u8::from(knocker == Some(seat)));
        }
    }
}

pub(super) fn decide(view: &SeatView<'_>, samples: u32, thinking: &Thinking<'_>) -> Option<Action> {
    let candidates = candidates(view)?;
    if let [only] = candidates.as_slice() {
        return Some(only.action.clone());
    }
    let best = weighed(view, candidates, samples, thinking)
        .into_iter()
        .next();
    best.map(|best| best.action)
}

/// What may be done; `None` when it is not the seat's turn.
pub(super) fn candidates(view: &SeatView<'_>) -> Option<Vec<Candidate>> {
    let guess = heuristic::decide(view, &STYLE)?;
    let without_opinion = |action| Candidate::new(action, 0.0);
    Some(match view.phase() {
        Phase::Upcard => draws(view, Action::Pass),
        Phase::Draw if view.must_draw_stock() || heuristic::is_going_round(view) => {
            vec![without_opinion(Action::Draw { pile: Pile::Stock })]
        }
        Phase::Draw => draws(view, Action::Draw { pile: Pile::Stock }),
        Phase::Discard => discards(view),
        Phase::LastChance => view
            .legal_actions()
            .into_iter()
            .map(without_opinion)
            .collect(),
        Phase::Layoff | Phase::Over => vec![without_opinion(guess)],
    })
}

/// To take the card on the pile, or not.
fn draws(view: &SeatView<'_>, leave: Action) -> Vec<Candidate> {
    let take = Action::Draw {
        pile: Pile::Discard,
    };
    let gain = heuristic::gain_of_taking(view, &STYLE);
    vec![
        Candidate::new(leave, gain.max(0.0)),
        Candidate::new(take, (-gain).max(0.0)),
    ]
}

/// To end the hand, where that is possible, or to put one of a few cards away.
fn discards(view: &SeatView<'_>) -> Vec<Candidate> {
    let mut ends: Vec<Action> = view.big_gin().into_iter().collect();
    let best = view.best_discard();
    let knock = best.filter(|best| best.deadwood_points <= view.knock_limit());
    ends.extend(knock.map(|best| view.knock(best.card)));
    if view.must_knock() && ends.is_empty() {
        // The knock is then with the very card that was taken, where that is allowed.
        ends.extend(view.legal_actions().pop());
    }
    let mut candidates: Vec<Candidate> = ends
        .into_iter()
        .map(|action| Candidate::new(action, 0.0))
        .collect();
    if view.must_knock() {
        return candidates;
    }
    let mut ranked = heuristic::ranked_discards(view, &STYLE);
    ranked.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let least = ranked.first().map_or(0.0, |(_, cost)| *cost);
    candidates.extend(
        ranked
            .into_iter()
            .take(MOST_DISCARDS)
            .map(|(card, cost)| Candidate::new(Action::Discard { card }, cost - least)),
    );
    candidates
}

/// Tries the candidates in the same worlds, until one is clearly best, the samples are used up, or
/// time is; best first.
pub(super) fn weighed(
    view: &SeatView<'_>,
    mut candidates: Vec<Candidate>,
    samples: u32,
    thinking: &Thinking<'_>,
) -> Vec<Candidate> {
    let mut dice = Dice::new(thinking.seed);
    let worth = Worth::of(view);
    let mut belief = Belief::new(view, &mut dice);
    for candidate in &mut candidates {
        candidate.objection *= OPINION * worth.of_a_point();
    }
    for world in 1..=samples.max(1) {
        let opponents = belief.next_hand(&mut dice);
        let imagined = view.imagined(opponents, &belief.stock(&mut dice));
        let mut alive = candidates.iter_mut().filter(|candidate| candidate.is_alive);
        alive
            .by_ref()
            .for_each(|candidate| candidate.try_in(&imagined, view, &worth));
        if !(thinking.goes_on)() {
            break;
        }
        if world % BATCH == 0 {
            drop_hopeless(&mut candidates);
            if candidates
                .iter()
                .filter(|candidate| candidate.is_alive)
                .count()
                == 1
            {
                break;
            }
        }
    }
    // Those that were dropped come last: they were behind.
    candidates.sort_by(|a, b| {
        let by_estimate = b.estimate().partial_cmp(&a.estimate());
        b.is_alive
            .cmp(&a.is_alive)
            .then(by_estimate.unwrap_or(Ordering::Equal))
    });
    candidates
}

/// Drops those that are behind the best by more than chance explains, world by world.
fn drop_hopeless(candidates: &mut [Candidate]) {
    let Some(best) = (0..candidates.len())
        .filter(|index| candidates[*index].is_alive)
        .max_by(|a, b| {
            candidates[*a]
                .estimate()
                .total_cmp(&candidates[*b].estimate())
        })
    else {
        return;
    };
    let leading = std::mem::take(&mut candidates[best].worths);
    for (index, candidate) in candidates.iter_mut().enumerate() {
        if candidate.is_alive && index != best {
            candidate.is_alive = !is_behind(&candidate.worths, &leading);
        }
    }
    candidates[best].worths = leading;
}

#[allow(clippy::cast_precision_loss, reason = "worlds are few")]
fn is_behind(worths: &[f32], leading: &[f32]) -> bool {
    let worlds = worths.len() as f32;
    let (mut sum, mut squares) = (0.0, 0.0);
    for (worth, best) in worths.iter().zip(leading) {
        let lead = best - worth;
        sum += lead;
        squares += lead * lead;
    }
    let mean = sum / worlds;
    let variance = (squares / worlds - mean * mean).max(0.0);
    mean > HOPELESS * (variance / worlds).sqrt()
}
