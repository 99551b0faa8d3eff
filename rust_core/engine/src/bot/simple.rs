//! The simple player: least deadwood, knocks at the first chance.

use crate::action::{Action, Phase, Pile};
use crate::deadwood::{best_discard, deadwood};
use crate::view::SeatView;

pub(super) fn decide(view: &SeatView<'_>) -> Option<Action> {
    if view.to_act() != Some(view.seat()) {
        return None;
    }
    match view.phase() {
        Phase::Upcard if takes_discard(view) => Some(Action::Draw {
            pile: Pile::Discard,
        }),
        Phase::Upcard => Some(Action::Pass),
        Phase::Draw if !view.must_draw_stock() && takes_discard(view) => Some(Action::Draw {
            pile: Pile::Discard,
        }),
        Phase::Draw => Some(Action::Draw { pile: Pile::Stock }),
        Phase::Discard => view.big_gin().or_else(|| knock_or_discard(view)),
        Phase::Layoff => Some(Action::lay_off_best()),
        Phase::LastChance => view.legal_actions().pop(),
        Phase::Over => None,
    }
}

fn takes_discard(view: &SeatView<'_>) -> bool {
    view.top_discard().is_some_and(|card| {
        let after = best_discard(view.cards().with(card), Some(card));
        after.deadwood_points < deadwood(view.cards())
    })
}

fn knock_or_discard(view: &SeatView<'_>) -> Option<Action> {
    let best = view.best_discard()?;
    if best.deadwood_points <= view.knock_limit() {
        Some(view.knock(best.card))
    } else if view.must_knock() {
        // The knock is then with the very card that was taken, where that is allowed.
        view.legal_actions().pop()
    } else {
        Some(Action::Discard { card: best.card })
    }
}
