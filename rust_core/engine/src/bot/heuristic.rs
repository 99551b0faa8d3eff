//! The heuristic player: weighs deadwood, chances of new melds and what a discard may give away.

use super::chances::{Sight, danger, improving};
use crate::action::{Action, Phase, Pile};
use crate::card::Card;
use crate::deadwood::{best_discard, deadwood, price_discards};
use crate::view::SeatView;

/// So many turns in a row with a card from the pile are enough.
const EXCHANGES: usize = 8;

/// The stock at the first draw, and at the last.
const FULL_STOCK: f32 = 31.0;

/// A weight at the begin of a hand and at its end, on a line between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weight {
    pub(super) early: f32,
    pub(super) late: f32,
}

impl Weight {
    pub(super) const fn new(early: f32, late: f32) -> Self {
        Self { early, late }
    }

    /// `stage` falls from 1 to 0.
    fn at(self, stage: f32) -> f32 {
        self.late + (self.early - self.late) * stage
    }
}

/// How a player weighs what it sees, in deadwood points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Style {
    /// Worth of each unseen card that would make or lengthen a meld.
    pub(super) chance: Weight,
    /// Cost of each meld that the opponent may be making with the discard.
    pub(super) danger: Weight,
    /// Cost of each card next to the discard that the opponent is known to hold.
    pub(super) known: Weight,
    /// By how much a card from the pile has to better the hand to be taken.
    pub(super) take: Weight,
    /// The most deadwood to knock with.
    pub(super) knock: Weight,
}

/// Found by playing matches to 100 against the simple bot, a MARJJ-style player and earlier styles.
pub(super) const STYLE: Style = Style {
    chance: Weight::new(1.6, 0.5),
    danger: Weight::new(0.1, 1.5),
    known: Weight::new(2.0, 4.0),
    take: Weight::new(4.5, 1.0),
    knock: Weight::new(11.8, 4.0),
};

/// A beginner: overrates what may still come, sees no danger, takes what makes a meld and little
/// else, and knocks late.
pub(super) const EASY: Style = Style {
    chance: Weight::new(3.0, 3.0),
    danger: Weight::new(0.0, 0.0),
    known: Weight::new(0.0, 0.0),
    take: Weight::new(6.0, 6.0),
    knock: Weight::new(3.0, 3.0),
};

pub(super) fn decide(view: &SeatView<'_>, style: &Style) -> Option<Action> {
    if view.to_act() != Some(view.seat()) {
        return None;
    }
    let take = Action::Draw {
        pile: Pile::Discard,
    };
    match view.phase() {
        Phase::Upcard if takes_discard(view, style) => Some(take),
        Phase::Upcard => Some(Action::Pass),
        Phase::Draw if !view.must_draw_stock() && takes_discard(view, style) => Some(take),
        Phase::Draw => Some(Action::Draw { pile: Pile::Stock }),
        Phase::Discard => view.big_gin().or_else(|| put_down(view, style)),
        Phase::Layoff => Some(Action::lay_off_best()),
        Phase::LastChance => view.legal_actions().pop(),
        Phase::Over => None,
    }
}

#[allow(clippy::cast_precision_loss, reason = "a stock has at most 31 cards")]
fn stage(view: &SeatView<'_>) -> f32 {
    view.stock_len() as f32 / FULL_STOCK
}

fn takes_discard(view: &SeatView<'_>, style: &Style) -> bool {
    !is_going_round(view) && gain_of_taking(view, style) > 0.0
}

/// Both players have only exchanged pile cards for a while, and could go on for ever. Who can take
/// the card for gin ends that too.
pub(super) fn is_going_round(view: &SeatView<'_>) -> bool {
    let latest = view.turns().last_chunk::<EXCHANGES>();
    latest.is_some_and(|turns| turns.iter().all(|turn| turn.drew == Some(Pile::Discard)))
        && !makes_gin(view)
}

/// Whether the card on the pile leaves no deadwood after a discard.
fn makes_gin(view: &SeatView<'_>) -> bool {
    let top = view.top_discard();
    top.is_some_and(|top| best_discard(view.cards().with(top), Some(top)).deadwood_points == 0)
}

/// By how many points the card on the pile betters the hand, beyond what it has to.
#[allow(
    clippy::cast_precision_loss,
    reason = "points and counts of cards are small"
)]
pub(super) fn gain_of_taking(view: &SeatView<'_>, style: &Style) -> f32 {
    let Some(top) = view.top_discard() else {
        return f32::NEG_INFINITY;
    };
    let (cards, stage) = (view.cards(), stage(view));
    let sight = Sight::of(view);
    let chance = style.chance.at(stage);
    let worth = |cards| deadwood(cards) as f32 - chance * improving(cards, sight.hidden) as f32;
    let with = cards.with(top);
    let best = cards
        .into_iter()
        .map(|card| worth(with.without(card)))
        .fold(f32::INFINITY, f32::min);
    worth(cards) - best - style.take.at(stage)
}

fn put_down(view: &SeatView<'_>, style: &Style) -> Option<Action> {
    let best = view.best_discard()?;
    #[allow(clippy::cast_precision_loss, reason = "a knock limit is at most 10")]
    let knocks = best.deadwood_points <= view.knock_limit()
        && (best.deadwood_points as f32 <= style.knock.at(stage(view)) || view.stock_len() <= 4);
    if knocks {
        return Some(view.knock(best.card));
    }
    if view.must_knock() {
        // The knock is then with the very card that was taken, where that is allowed.
        return view.legal_actions().pop();
    }
    Some(Action::Discard {
        card: discard(view, style)?,
    })
}

/// The discard that costs least, all in all; among equals the first.
pub(super) fn discard(view: &SeatView<'_>, style: &Style) -> Option<Card> {
    ranked_discards(view, style)
        .into_iter()
        .min_by(|(_, a), (_, b)| a.total_cmp(b))
        .map(|(card, _)| card)
}

/// Every permitted discard and what it costs, in card order.
#[allow(
    clippy::cast_precision_loss,
    reason = "points and counts of cards are small"
)]
pub(super) fn ranked_discards(
    view: &SeatView<'_>,
    style: &Style,
) -> arrayvec::ArrayVec<(Card, f32), 11> {
    let stage = stage(view);
    let sight = Sight::of(view);
    let (chance, melds, known) = (
        style.chance.at(stage),
        style.danger.at(stage),
        style.known.at(stage),
    );
    price_discards(view.cards(), view.barred_discard())
        .into_iter()
        .map(|priced| {
            let kept = view.cards().without(priced.card);
            let danger = danger(priced.card, sight);
            let cost = priced.deadwood_points as f32
                - chance * improving(kept, sight.hidden) as f32
                + melds * danger.melds as f32
                + known * danger.known as f32;
            (priced.card, cost)
        })
        .collect()
}
