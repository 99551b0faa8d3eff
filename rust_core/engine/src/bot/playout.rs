//! Hands played to their end by two quick players, to see what an action may lead to.

use super::chances::completing;
use crate::action::{Action, Phase, Pile};
use crate::deadwood::{best_discard, deadwood};
use crate::hand::Hand;
use crate::seat::Seat;

/// Longer hands only exchange pile cards; they count as dead.
const LONGEST: usize = 160;
/// With so few cards left in the stock there is nothing to wait for.
const LAST_CARDS: usize = 3;

/// How a quick player decides when to knock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// The most deadwood to knock with, while there are cards to draw.
    knock: u32,
}

impl Plan {
    /// Knocks at the first chance: what an opponent is best feared to do.
    pub(super) const AT_ONCE: Self = Self { knock: u32::MAX };
}

/// Waits for gin. A knock is weighed by itself whenever it is possible, so that what is left to
/// look at is what waiting may bring.
pub(super) const FOR_GIN: Plan = Plan { knock: 0 };

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

/// What makes or lengthens a meld, and so lowers the deadwood, is taken. Whoever takes low cards too
/// shows his hand for little.
fn takes(hand: &Hand, seat: Seat) -> bool {
    let cards = hand.cards(seat);
    let top = hand.discard_pile().last().copied();
    top.filter(|top| !hand.must_draw_stock() && completing(cards).contains(*top))
        .is_some_and(|top| {
            best_discard(cards.with(top), Some(top)).deadwood_points < deadwood(cards)
        })
}

fn put_down(hand: &Hand, seat: Seat, plan: Plan) -> Action {
    if hand.can_big_gin(seat) {
        return hand.big_gin_action(seat);
    }
    let best = hand.best_discard(seat);
    let waits = hand.stock_len() > LAST_CARDS && best.deadwood_points > plan.knock;
    if best.deadwood_points <= hand.knock_limit() && !waits {
        hand.knock_action(seat, best.card)
    } else if hand.must_knock() {
        hand.legal_actions(seat).pop().unwrap_or(Action::Pass)
    } else {
        Action::Discard { card: best.card }
    }
}
