//! The expert: imagines the hidden cards many times over, plays each candidate action out in every
//! such world, and takes the one that is worth most.

use super::Thinking;
use super::belief::{Belief, WEIGHTS};
use super::dice::Dice;
use super::equity::Worth;
use super::heuristic::{self, STYLE};
use super::playout::{Plan, play_out};
use crate::action::{Action, Phase, Pile};
use crate::view::SeatView;

/// Worlds between two looks at which candidates are still worth trying.
const BATCH: u32 = 16;
/// A candidate that is behind by so many standard errors is dropped.
const HOPELESS: f32 = 3.0;
/// Discards looked at, the best by the heuristic first.
const MOST_DISCARDS: usize = 6;
const NOW: Plan = Plan { knock: 10 };
const GIN: Plan = Plan { knock: 0 };

/// An action, what follows it, and what has come of it so far.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) action: Action,
    plan: Plan,
    worlds: u32,
    /// Of the worth in each world.
    sum: f32,
    points: f32,
    wins: u32,
    lost_by_undercut: u32,
    is_alive: bool,
    /// Worth in each world so far, to compare world by world.
    worths: Vec<f32>,
}

impl Candidate {
    fn new(action: Action, plan: Plan) -> Self {
        Self {
            action,
            plan,
            worlds: 0,
            sum: 0.0,
            points: 0.0,
            wins: 0,
            lost_by_undercut: 0,
            is_alive: true,
            worths: Vec::new(),
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "worlds are few")]
    pub(super) fn worth(&self) -> f32 {
        self.sum / self.worlds.max(1) as f32
    }

    #[allow(clippy::cast_precision_loss, reason = "worlds are few")]
    pub(super) fn share(&self, count: f32) -> f64 {
        f64::from(count / self.worlds.max(1) as f32)
    }

    pub(super) fn points(&self) -> f64 {
        self.share(self.points)
    }

    #[allow(clippy::cast_precision_loss, reason = "worlds are few")]
    pub(super) fn win_chance(&self) -> f64 {
        self.share(self.wins as f32)
    }

    #[allow(clippy::cast_precision_loss, reason = "worlds are few")]
    pub(super) fn undercut_chance(&self) -> f64 {
        self.share(self.lost_by_undercut as f32)
    }

    fn try_in(
        &mut self,
        view: &SeatView<'_>,
        world: &crate::hand::Hand,
        theirs: Plan,
        worth: &Worth,
    ) {
        let seat = view.seat();
        let mut hand = world.clone();
        let mut plans = [theirs; 2];
        plans[seat.index()] = self.plan;
        let end = match hand.apply(seat, &self.action) {
            Ok(_) => play_out(&mut hand, plans),
            Err(_) => (Some(seat.opponent()), 0),
        };
        let (winner, points) = end;
        self.worlds += 1;
        let gained = worth.of_end(winner, points);
        self.sum += gained;
        self.worths.push(gained);
        #[allow(clippy::cast_precision_loss, reason = "points are small")]
        match winner {
            Some(winner) if winner == seat => {
                self.wins += 1;
                self.points += points as f32;
            }
            Some(_) => {
                self.points -= points as f32;
                let knocker = hand.result().and_then(|result| result.knocker);
                self.lost_by_undercut += u32::from(knocker == Some(seat));
            }
            None => {}
        }
    }
}

pub(super) fn decide(view: &SeatView<'_>, samples: u32, thinking: &Thinking<'_>) -> Option<Action> {
    let candidates = candidates(view)?;
    if let [only] = candidates.as_slice() {
        return Some(only.action.clone());
    }
    best(weighed(view, candidates, samples, thinking)).map(|best| best.action)
}

/// Those that were dropped come last: they were behind.
pub(super) fn by_worth(a: &Candidate, b: &Candidate) -> std::cmp::Ordering {
    (a.is_alive, a.worth())
        .partial_cmp(&(b.is_alive, b.worth()))
        .unwrap_or(std::cmp::Ordering::Equal)
}

fn best(candidates: Vec<Candidate>) -> Option<Candidate> {
    // Of the last ones alive; among equals the first.
    candidates
        .into_iter()
        .filter(|candidate| candidate.is_alive)
        .reduce(|best, other| {
            if other.worth() > best.worth() {
                other
            } else {
                best
            }
        })
}

/// What may be done, best guess first; `None` when it is not the seat's turn.
pub(super) fn candidates(view: &SeatView<'_>) -> Option<Vec<Candidate>> {
    let guess = heuristic::decide(view, &STYLE)?;
    let take = Action::Draw {
        pile: Pile::Discard,
    };
    let actions = match view.phase() {
        Phase::Upcard => vec![Action::Pass, take],
        Phase::Draw if view.must_draw_stock() => vec![guess],
        Phase::Draw => vec![Action::Draw { pile: Pile::Stock }, take],
        Phase::Discard => discards(view),
        Phase::LastChance => view.legal_actions(),
        Phase::Layoff | Phase::Over => vec![guess],
    };
    Some(
        actions
            .into_iter()
            .flat_map(|action| {
                let ends = matches!(action, Action::Knock { .. } | Action::BigGin { .. });
                let plans = if ends || view.knock_limit() == 0 {
                    &[NOW][..]
                } else {
                    &[NOW, GIN]
                };
                plans
                    .iter()
                    .map(move |plan| Candidate::new(action.clone(), *plan))
            })
            .collect(),
    )
}

fn discards(view: &SeatView<'_>) -> Vec<Action> {
    let mut actions: Vec<Action> = view.big_gin().into_iter().collect();
    let Some(best) = view.best_discard() else {
        return actions;
    };
    if best.deadwood_points <= view.knock_limit() {
        actions.push(view.knock(best.card));
    }
    if view.must_knock() {
        if actions.is_empty() {
            actions.extend(view.legal_actions().pop());
        }
        return actions;
    }
    let mut ranked = heuristic::ranked_discards(view, &STYLE);
    ranked.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let discards = ranked.into_iter().take(MOST_DISCARDS);
    actions.extend(discards.map(|(card, _)| Action::Discard { card }));
    actions
}

/// Tries the candidates in the same worlds, until one is clearly best, the samples are used up, or
/// time is.
pub(super) fn weighed(
    view: &SeatView<'_>,
    mut candidates: Vec<Candidate>,
    samples: u32,
    thinking: &Thinking<'_>,
) -> Vec<Candidate> {
    let mut dice = Dice::new(thinking.seed);
    let worth = Worth::of(view);
    let mut belief = Belief::new(view, WEIGHTS, &mut dice);
    for world in 0..samples.max(1) {
        if world > 0 && !(thinking.goes_on)() {
            break;
        }
        let theirs = if world % 4 == 3 { GIN } else { NOW };
        let opponents = belief.next_hand(&mut dice);
        let imagined = view.imagined(opponents, &belief.stock(&mut dice));
        for candidate in candidates.iter_mut().filter(|candidate| candidate.is_alive) {
            candidate.try_in(view, &imagined, theirs, &worth);
        }
        if (world + 1) % BATCH == 0 {
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
    candidates
}

/// Drops those that are behind the best by more than chance explains, world by world.
fn drop_hopeless(candidates: &mut [Candidate]) {
    let Some(best) = candidates
        .iter()
        .enumerate()
        .filter(|(_, candidate)| candidate.is_alive)
        .max_by(|(_, a), (_, b)| a.worth().total_cmp(&b.worth()))
        .map(|(index, _)| index)
    else {
        return;
    };
    let leading = candidates[best].worths.clone();
    for candidate in candidates.iter_mut().filter(|candidate| candidate.is_alive) {
        candidate.is_alive = !is_behind(&candidate.worths, &leading);
    }
    candidates[best].is_alive = true;
}

#[allow(clippy::cast_precision_loss, reason = "worlds are few")]
fn is_behind(worths: &[f32], leading: &[f32]) -> bool {
    let n = worths.len() as f32;
    let (mut sum, mut squares) = (0.0, 0.0);
    for (worth, best) in worths.iter().zip(leading) {
        let lead = best - worth;
        sum += lead;
        squares += lead * lead;
    }
    let mean = sum / n;
    let variance = (squares / n - mean * mean).max(0.0);
    mean > HOPELESS * (variance / n).sqrt()
}
