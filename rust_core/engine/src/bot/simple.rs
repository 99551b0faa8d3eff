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
    let discard = view.best_discard()?;
    let left = deadwood(view.cards().without(discard));
    if left <= view.knock_limit() {
        return Some(view.knock(discard));
    }
    // After taking the wall's last discard only a knock is legal, perhaps with that very card.
    let may_discard = view
        .legal_actions()
        .contains(&Action::Discard { card: discard });
    if may_discard {
        Some(Action::Discard { card: discard })
    } else {
        view.legal_actions().pop()
    }
}
