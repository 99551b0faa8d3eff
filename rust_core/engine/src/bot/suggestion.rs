//! Advice: what may be done, best first, why, and with the numbers that say so.

use serde::Serialize;

use super::Thinking;
use super::chances::{Sight, completing, danger, improving};
use super::expert::{self, Candidate};
use crate::action::{Action, Phase, Pile};
use crate::card::Card;
use crate::card_set::CardSet;
use crate::deadwood::{best_discard, deadwood};
use crate::hand::WALL;
use crate::layoff::deadwood_after_layoffs;
use crate::view::SeatView;

/// From this chance on a knock is told as a risk.
const RISKY: f64 = 0.25;

/// What speaks for an action, or against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Leaves less deadwood.
    LowersDeadwood,
    /// The card makes or lengthens a meld.
    CompletesMeld,
    /// More hidden cards would make or lengthen a meld.
    KeepsChances,
    /// The opponent can make less of the discard than of the one that leaves least deadwood.
    SafeDiscard,
    /// Ends the hand with deadwood within the limit.
    KnockNow,
    /// A knock is possible, and not made yet.
    WaitForGin,
    /// The knock may well be undercut.
    UndercutRisk,
    /// Ends the hand without deadwood.
    Gin,
    /// Ends the hand with all eleven cards in melds.
    BigGin,
    /// The card on the pile betters nothing: it is left.
    NothingGained,
    /// Melds and layoffs together, as good as they can be.
    LaysOff,
}

/// One action with what speaks for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    pub action: Action,
    pub reason: Reason,
    /// The card taken, left or put away.
    pub card: Option<Card>,
    /// Least deadwood points of the hand as it is.
    pub deadwood_before: u32,
    /// After the action; where a card is taken, after the best discard too. `None` where the next
    /// card is not known.
    pub deadwood_after: Option<u32>,
    pub knock_limit: u32,
    /// Hidden cards that would make or lengthen a meld after the action.
    pub improving_cards: u32,
    /// Melds that the opponent may be making with the discard, as far as anybody can tell.
    pub danger_melds: Option<u32>,
    /// The chance that a knock now or later in the hand is undercut.
    pub undercut_chance: Option<f64>,
    /// What the hand brings the seat: his points, less the opponent's.
    pub expected_points: Option<f64>,
    /// The chance to win the hand.
    pub hand_win_chance: Option<f64>,
    /// The chance to win the match, where its score is known.
    pub match_win_chance: Option<f64>,
}

/// With what came of each candidate in imagined worlds.
pub(super) fn weighed(
    view: &SeatView<'_>,
    samples: u32,
    thinking: &Thinking<'_>,
) -> Vec<Suggestion> {
    let Some(candidates) = expert::candidates(view) else {
        return Vec::new();
    };
    let is_of_match = view.standing().is_some();
    expert::weighed(view, candidates, samples, thinking)
        .iter()
        .map(|candidate| with_chances(view, candidate, is_of_match))
        .collect()
}

fn with_chances(view: &SeatView<'_>, candidate: &Candidate, is_of_match: bool) -> Suggestion {
    let mut suggestion = told(view, candidate.action.clone());
    let undercut = f64::from(candidate.undercut_chance());
    suggestion.undercut_chance = Some(undercut);
    suggestion.expected_points = Some(f64::from(candidate.points()));
    suggestion.hand_win_chance = Some(f64::from(candidate.win_chance()));
    suggestion.match_win_chance = is_of_match.then(|| f64::from(candidate.worth()));
    if suggestion.reason == Reason::KnockNow && undercut >= RISKY {
        suggestion.reason = Reason::UndercutRisk;
    }
    suggestion
}

/// The bot's own choice first, the rest by the deadwood left.
pub(super) fn by_deadwood(view: &SeatView<'_>, choice: Option<Action>) -> Vec<Suggestion> {
    let Some(choice) = choice else {
        return Vec::new();
    };
    let mut others: Vec<Suggestion> = view
        .legal_actions()
        .into_iter()
        .filter(|action| *action != choice)
        .map(|action| told(view, action))
        .collect();
    others.sort_by_key(|suggestion| {
        suggestion
            .deadwood_after
            .unwrap_or(suggestion.deadwood_before)
    });
    let mut suggestions = vec![told(view, choice)];
    suggestions.extend(others);
    suggestions
}

fn told(view: &SeatView<'_>, action: Action) -> Suggestion {
    let cards = view.cards();
    let sight = Sight::of(view);
    let mut suggestion = Suggestion {
        reason: Reason::LowersDeadwood,
        card: None,
        deadwood_before: deadwood(cards),
        deadwood_after: None,
        knock_limit: view.knock_limit(),
        improving_cards: improving(cards, sight.hidden),
        danger_melds: None,
        undercut_chance: None,
        expected_points: None,
        hand_win_chance: None,
        match_win_chance: None,
        action,
    };
    match suggestion.action.clone() {
        Action::Pass | Action::Draw { pile: Pile::Stock } => tell_left(&mut suggestion, view),
        Action::Draw {
            pile: Pile::Discard,
        } => tell_taken(&mut suggestion, view, sight),
        Action::Discard { card } => tell_discarded(&mut suggestion, view, sight, card),
        Action::Knock { discard, .. } => {
            let after = deadwood(cards.without(discard));
            suggestion.card = Some(discard);
            suggestion.deadwood_after = Some(after);
            suggestion.reason = ended_with(after);
        }
        Action::BigGin { .. } => {
            suggestion.deadwood_after = Some(0);
            suggestion.reason = Reason::BigGin;
        }
        Action::LayOff { .. } => {
            let melds = view.showdown().map(|showdown| showdown.melds);
            suggestion.deadwood_after = melds.map(|melds| deadwood_after_layoffs(&melds, cards));
            suggestion.reason = Reason::LaysOff;
        }
    }
    suggestion
}

/// What a card from the pile would do: the deadwood after the best discard, and its kind.
fn taken(view: &SeatView<'_>, top: Card) -> (CardSet, u32, Reason) {
    let cards = view.cards();
    let best = best_discard(cards.with(top), Some(top));
    let kept = cards.with(top).without(best.card);
    let reason = if completing(cards).contains(top) && best.deadwood_points < deadwood(cards) {
        Reason::CompletesMeld
    } else if best.deadwood_points < deadwood(cards) {
        Reason::LowersDeadwood
    } else {
        Reason::NothingGained
    };
    (kept, best.deadwood_points, reason)
}

/// At the last chance whoever takes the card has to knock at once.
fn tell_taken_to_knock(suggestion: &mut Suggestion, view: &SeatView<'_>, top: Card) {
    let barred = (!view.rules().allow_discard_taken).then_some(top);
    let after = best_discard(view.cards().with(top), barred).deadwood_points;
    suggestion.card = Some(top);
    suggestion.deadwood_after = Some(after);
    suggestion.reason = ended_with(after);
}

/// The reason of a knock that leaves so many points.
const fn ended_with(after: u32) -> Reason {
    if after == 0 {
        Reason::Gin
    } else {
        Reason::KnockNow
    }
}

fn tell_taken(suggestion: &mut Suggestion, view: &SeatView<'_>, sight: Sight) {
    let Some(top) = view.top_discard() else {
        return;
    };
    if view.phase() == Phase::LastChance {
        tell_taken_to_knock(suggestion, view, top);
        return;
    }
    let (kept, after, reason) = taken(view, top);
    let improving_after = improving(kept, sight.hidden);
    suggestion.reason = match reason {
        Reason::NothingGained if improving_after > suggestion.improving_cards => {
            Reason::KeepsChances
        }
        reason => reason,
    };
    suggestion.card = Some(top);
    suggestion.deadwood_after = Some(after);
    suggestion.improving_cards = improving_after;
}

fn tell_left(suggestion: &mut Suggestion, view: &SeatView<'_>) {
    suggestion.reason = Reason::KeepsChances;
    if let Some(top) = view.top_discard().filter(|_| !view.must_draw_stock()) {
        suggestion.card = Some(top);
        // At the last chance it can be taken only by who then knocks: that gains something.
        if view.phase() != Phase::LastChance && taken(view, top).2 == Reason::NothingGained {
            suggestion.reason = Reason::NothingGained;
        }
    }
}

fn tell_discarded(suggestion: &mut Suggestion, view: &SeatView<'_>, sight: Sight, card: Card) {
    let kept = view.cards().without(card);
    let after = deadwood(kept);
    let dangers = danger(card, sight);
    suggestion.card = Some(card);
    suggestion.deadwood_after = Some(after);
    suggestion.improving_cards = improving(kept, sight.hidden);
    suggestion.danger_melds = Some(dangers.melds);
    let Some(best) = view.best_discard() else {
        return;
    };
    let of_best = danger(best.card, sight);
    let chances_of_best = improving(view.cards().without(best.card), sight.hidden);
    // Nobody waits for what he has, nor where the discard ends the hand.
    let can_wait = best.deadwood_points > 0 && view.stock_len() > WALL;
    suggestion.reason = if can_wait && after <= suggestion.knock_limit {
        Reason::WaitForGin
    } else if after <= best.deadwood_points {
        Reason::LowersDeadwood
    } else if suggestion.improving_cards > chances_of_best {
        Reason::KeepsChances
    } else if (dangers.known, dangers.melds) < (of_best.known, of_best.melds) {
        Reason::SafeDiscard
    } else {
        Reason::LowersDeadwood
    };
}
