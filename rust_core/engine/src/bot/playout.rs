//! Hands played to their end by two quick players, to see what an action may lead to.

use crate::action::{Action, Phase, Pile};
use crate::deadwood::{best_discard, deadwood};
use crate::hand::Hand;
use crate::seat::Seat;

/// Longer hands only exchange pile cards; they count as dead.
const LONGEST: usize = 160;

/// How a quick player decides when to knock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// The most deadwood to knock with.
    pub(super) knock: u32,
}

/// Plays the hand on; `plans` by seat. The winner and his points, if somebody scores.
pub(super) fn play_out(hand: &mut Hand, plans: [Plan; 2]) -> (Option<Seat>, u32) {
    for _ in 0..LONGEST {
        let Some(seat) = hand.to_act() else { break };
        let action = action(hand, seat, plans[seat.index()]);
        if hand.apply(seat, &action).is_err() {
            debug_assert!(false, "{action:?} is refused");
            break;
        }
    }
    hand.result()
        .map_or((None, 0), |result| (result.winner, result.points))
}

fn action(hand: &Hand, seat: Seat, plan: Plan) -> Action {
    match hand.phase() {
        Phase::Upcard | Phase::Draw if takes(hand, seat) => Action::Draw {
            pile: Pile::Discard,
        },
        Phase::Upcard => Action::Pass,
        Phase::Draw => Action::Draw { pile: Pile::Stock },
        Phase::Discard => put_down(hand, seat, plan),
        Phase::Layoff => Action::lay_off_best(),
        Phase::LastChance | Phase::Over => hand.legal_actions(seat).pop().unwrap_or(Action::Pass),
    }
}

fn takes(hand: &Hand, seat: Seat) -> bool {
    let Some(top) = hand.discard_pile().last().copied() else {
        return false;
    };
    if hand.must_draw_stock() {
        return false;
    }
    let cards = hand.cards(seat);
    best_discard(cards.with(top), Some(top)).deadwood_points < deadwood(cards)
}

fn put_down(hand: &Hand, seat: Seat, plan: Plan) -> Action {
    if hand.can_big_gin(seat) {
        return hand.big_gin_action(seat);
    }
    let best = hand.best_discard(seat);
    let limit = hand.knock_limit();
    // Whoever waits too long gets nothing: at the wall he takes what there is.
    let limit = if hand.stock_len() <= 3 {
        limit
    } else {
        limit.min(plan.knock)
    };
    if best.deadwood_points <= limit {
        hand.knock_action(seat, best.card)
    } else if hand.must_knock() {
        hand.legal_actions(seat).pop().unwrap_or(Action::Pass)
    } else {
        Action::Discard { card: best.card }
    }
}
