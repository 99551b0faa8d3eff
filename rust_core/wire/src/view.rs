//! What one viewer may know.

use ginrummy_engine::{DiscardOptions, HandView, Match, MatchView, Phase, Viewer};

use crate::actions::action;
use crate::cards::{arrangement, card, cards, count};
use crate::events::{
    Place, hand_scored, match_event, match_result, seat, sheets, showdown_message,
};
use crate::v1;

/// The view of a table with all that its match tells added: the table gives what it alone knows,
/// who sits there among it.
///
/// `last_action` is the place of the action that the viewer is shown as the latest; without it
/// none is.
#[must_use]
pub fn view(
    table: v1::View,
    game: &Match,
    viewer: Viewer,
    hints: bool,
    last_action: Option<Place>,
) -> v1::View {
    let MatchView {
        hand_number,
        hand,
        sheets: score,
        last_hand,
        result,
    } = game.view(viewer, hints);
    v1::View {
        phase: phase(hand.phase).into(),
        hand_number,
        dealer: seat(hand.dealer),
        knock_limit: hand.knock_limit,
        points_doubled: hand.points_doubled,
        seats: with_cards(table.seats, &hand),
        sheets: sheets(&score),
        own_hand: cards(hand.own_hand.unwrap_or_default()),
        own_arrangement: hand.own_arrangement.as_ref().map(arrangement),
        last_drawn: hand.last_drawn.map(card),
        barred_discard: hand.barred_discard.map(card),
        discard_count: count(hand.discard_count),
        stock_count: count(hand.stock_count),
        legal_actions: hand.legal_actions.iter().map(action).collect(),
        discard_options: hand.discard_options.as_ref().map(discard_options),
        last_action: hand
            .last_action
            .zip(last_action)
            .map(|(event, place)| match_event(&event, place)),
        showdown: hand.showdown.as_ref().map(showdown_message),
        discard_pile: cards(hand.discard_pile),
        last_hand: last_hand.as_deref().map(hand_scored),
        result: result.as_deref().map(match_result),
        ..table
    }
}

/// The match's phase: a hand that is over is the last one.
fn phase(phase: Phase) -> v1::Phase {
    match phase {
        Phase::Upcard => v1::Phase::Upcard,
        Phase::Draw => v1::Phase::Draw,
        Phase::Discard => v1::Phase::Discard,
        Phase::Layoff => v1::Phase::Layoff,
        Phase::LastChance => v1::Phase::LastChance,
        Phase::Over => v1::Phase::MatchOver,
    }
}

/// By seat.
fn with_cards(mut seats: Vec<v1::SeatStatus>, hand: &HandView) -> Vec<v1::SeatStatus> {
    let held = hand.hand_counts.into_iter().zip(hand.known_cards);
    for (status, (number, known)) in seats.iter_mut().zip(held) {
        status.hand_count = count(number);
        status.known_cards = cards(known);
    }
    seats
}

fn discard_options(options: &DiscardOptions) -> v1::DiscardOptions {
    let priced = options.options.iter().map(|option| v1::DiscardOption {
        card: card(option.card),
        deadwood_points: option.deadwood_points,
        can_knock: option.can_knock,
    });
    v1::DiscardOptions {
        options: priced.collect(),
        best_deadwood: options.best_deadwood,
        can_knock: options.can_knock,
        can_gin: options.can_gin,
        can_big_gin: options.can_big_gin,
        hint: options.hint.as_ref().map(action),
    }
}
