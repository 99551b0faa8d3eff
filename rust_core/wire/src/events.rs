//! Events, results and score sheets.

use ginrummy_engine::{
    EndReason, Event, KnockKind, LaidOff, MatchResult, Outcome, Pile, ScoreSheet, ScoredHand, Seat,
    Showdown,
};
use prost_types::Timestamp;

use crate::actions::layoffs;
use crate::cards::{arrangement, card, cards, count, melds};
use crate::v1;
use crate::v1::match_event::Payload;

const SECOND_US: i64 = 1_000_000;

/// Where an event stands in its match, and what comes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub sequence: u64,
    /// Since the epoch.
    pub time_us: i64,
    /// Who has to act after it; 0: nobody, or other events of the same command follow.
    pub to_act: u32,
    /// When that decision's time runs out.
    pub deadline_us: Option<i64>,
}

/// An event in its place. What a viewer may not know was left out of it before.
#[must_use]
pub fn match_event(event: &Event, place: Place) -> v1::MatchEvent {
    v1::MatchEvent {
        sequence: place.sequence,
        time: Some(timestamp(place.time_us)),
        seat: event.seat().map_or(0, seat),
        to_act: place.to_act,
        deadline: place.deadline_us.map(timestamp),
        payload: Some(payload(event)),
    }
}

fn payload(event: &Event) -> Payload {
    match event {
        Event::HandDealt {
            hand_number,
            dealer,
            upcard,
            hands,
            stock_count,
            knock_limit,
            points_doubled,
        } => Payload::HandDealt(v1::HandDealt {
            hand_number: *hand_number,
            dealer: seat(*dealer),
            upcard: upcard.map(card),
            hands: hands
                .map(|hand| v1::CardList {
                    cards: cards(hand.unwrap_or_default()),
                })
                .into(),
            stock_count: count(*stock_count),
            knock_limit: *knock_limit,
            points_doubled: *points_doubled,
        }),
        Event::Passed { .. } => Payload::Passed(v1::Passed {}),
        Event::CardDrawn {
            pile, card: drawn, ..
        } => Payload::CardDrawn(v1::CardDrawn {
            pile: pile_number(*pile),
            card: drawn.map(card),
        }),
        Event::CardDiscarded { card: put_down, .. } => Payload::CardDiscarded(v1::CardDiscarded {
            card: put_down.map(card),
        }),
        Event::Knocked(showdown) => Payload::Knocked(showdown_message(showdown)),
        Event::LaidOff(laid_off) => Payload::LaidOff(laid_off_message(laid_off)),
        Event::HandScored(scored) => Payload::HandScored(hand_scored(scored)),
        Event::TimedOut { timeouts, .. } => Payload::TimedOut(v1::TimedOut {
            timeouts: *timeouts,
        }),
        Event::MatchEnded(result) => Payload::MatchEnded(match_result(result)),
    }
}

/// The knocker's cards, laid open.
pub(crate) fn showdown_message(showdown: &Showdown) -> v1::Showdown {
    let kind = match showdown.kind {
        KnockKind::Knock => v1::KnockKind::Knock,
        KnockKind::Gin => v1::KnockKind::Gin,
        KnockKind::BigGin => v1::KnockKind::BigGin,
    };
    v1::Showdown {
        knocker: seat(showdown.seat),
        kind: kind.into(),
        knocker_melds: melds(&showdown.melds),
        knocker_deadwood: cards(showdown.deadwood),
        deadwood_points: showdown.deadwood_points,
        knock_card: showdown.discard.map(card),
    }
}

fn laid_off_message(laid_off: &LaidOff) -> v1::LaidOff {
    v1::LaidOff {
        moves: layoffs(&laid_off.layoffs),
        melds: melds(&laid_off.melds),
        deadwood: cards(laid_off.deadwood),
        deadwood_points: laid_off.deadwood_points,
    }
}

/// How a hand came out.
pub(crate) fn hand_scored(scored: &ScoredHand) -> v1::HandScored {
    let result = &scored.result;
    let outcome = match result.outcome {
        Outcome::Knock => v1::HandOutcome::Knock,
        Outcome::Undercut => v1::HandOutcome::Undercut,
        Outcome::Gin => v1::HandOutcome::Gin,
        Outcome::BigGin => v1::HandOutcome::BigGin,
        Outcome::Dead => v1::HandOutcome::Dead,
        Outcome::Tie => v1::HandOutcome::Tie,
    };
    let reveals = result.arrangements.as_ref().map_or(&[][..], |both| both);
    v1::HandScored {
        hand_number: scored.hand_number,
        outcome: outcome.into(),
        winner: result.winner.map_or(0, seat),
        knocker: result.knocker.map_or(0, seat),
        points: result.points,
        bonus: result.bonus,
        doubled: result.doubled,
        reveals: reveals.iter().map(arrangement).collect(),
        layoffs: layoffs(&result.layoffs),
        deadwood_points: reveals.iter().map(|shown| shown.deadwood_points).collect(),
        sheets: sheets(&scored.sheets),
    }
}

/// How a match ended, with the seed.
pub(crate) fn match_result(result: &MatchResult) -> v1::MatchResult {
    let reason = match result.reason {
        EndReason::TargetReached => v1::MatchEndReason::TargetReached,
        EndReason::Resigned => v1::MatchEndReason::Resigned,
        EndReason::ClockExpired => v1::MatchEndReason::ClockExpired,
        EndReason::AbsenceClaimed => v1::MatchEndReason::AbsenceClaimed,
        EndReason::Aborted => v1::MatchEndReason::Aborted,
    };
    v1::MatchResult {
        winner: result.winner.map(seat),
        reason: reason.into(),
        sheets: sheets(&result.sheets),
        seed: result.seed.bytes().to_vec(),
    }
}

/// The score sheets by seat.
pub(crate) fn sheets(sheets: &[ScoreSheet; 2]) -> Vec<v1::ScoreSheet> {
    sheets.iter().map(sheet).collect()
}

fn sheet(sheet: &ScoreSheet) -> v1::ScoreSheet {
    let columns = sheet.columns.iter().map(|column| v1::ScoreColumn {
        hand_points: column.hand_points,
        boxes: column.boxes,
        box_bonus: column.box_bonus,
        game_bonus: column.game_bonus,
        shutout_bonus: column.shutout_bonus,
        total: column.total,
        closed: column.closed,
        won: column.won,
    });
    v1::ScoreSheet {
        columns: columns.collect(),
        total: sheet.total,
    }
}

pub(crate) fn seat(seat: Seat) -> u32 {
    u32::from(seat.number())
}

pub(crate) fn pile_number(pile: Pile) -> i32 {
    let pile = match pile {
        Pile::Stock => v1::Pile::Stock,
        Pile::Discard => v1::Pile::Discard,
    };
    pile.into()
}

fn timestamp(time_us: i64) -> Timestamp {
    let rest_us = i32::try_from(time_us.rem_euclid(SECOND_US)).unwrap_or_default();
    Timestamp {
        seconds: time_us.div_euclid(SECOND_US),
        nanos: rest_us * 1000,
    }
}
