//! What happened, and what of it each viewer may know.

use serde::{Deserialize, Serialize};

use crate::action::Pile;
use crate::arrangement::{Arrangement, Melds};
use crate::card::Card;
use crate::card_set::CardSet;
use crate::deal::Seed;
use crate::layoff::Layoffs;
use crate::ledger::ScoreSheet;
use crate::rules::PileView;
use crate::seat::{Seat, Viewer};

/// How a hand was ended by a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KnockKind {
    Knock,
    Gin,
    BigGin,
}

/// How a hand came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Knock,
    Undercut,
    Gin,
    BigGin,
    /// The stock ran out.
    Dead,
    /// Equal deadwood where `undercut_on_tie` is off.
    Tie,
}

/// Why a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    TargetReached,
    Resigned,
    ClockExpired,
    AbsenceClaimed,
    Aborted,
}

/// The knocker's cards, laid open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Showdown {
    /// The knocker.
    pub seat: Seat,
    pub kind: KnockKind,
    pub melds: Melds,
    pub deadwood: CardSet,
    pub deadwood_points: u32,
    /// The knock card; `None` for big gin and for whom it lies face down.
    pub discard: Option<Card>,
}

impl Showdown {
    /// As this viewer sees it while the knock card may lie face down.
    #[must_use]
    pub fn seen_by(&self, viewer: Viewer, knock_card_face_down: bool) -> Self {
        let hidden = knock_card_face_down && !viewer.is(self.seat);
        Self {
            discard: self.discard.filter(|_| !hidden),
            ..self.clone()
        }
    }
}

/// The defender's layoffs and what he keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaidOff {
    /// The defender.
    pub seat: Seat,
    /// In the order in which each fits; indices into the knocker's melds.
    pub layoffs: Layoffs,
    pub melds: Melds,
    pub deadwood: CardSet,
    pub deadwood_points: u32,
}

/// The result of a hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandResult {
    pub outcome: Outcome,
    /// `None` for a dead hand.
    pub knocker: Option<Seat>,
    /// `None` for a dead hand or a tie that scores nothing.
    pub winner: Option<Seat>,
    /// The winner's points, bonus and doubling included.
    pub points: u32,
    /// The gin, big gin or undercut bonus in those points, before any doubling.
    pub bonus: u32,
    /// A spade upcard doubled the points.
    pub doubled: bool,
    /// By seat; the defender's after his layoffs. `None` for a dead hand: its cards stay hidden.
    pub arrangements: Option<[Arrangement; 2]>,
    /// The defender's layoffs on the knocker's melds.
    pub layoffs: Layoffs,
}

/// The result of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchResult {
    /// `None` when the match was aborted.
    pub winner: Option<Seat>,
    pub reason: EndReason,
    pub sheets: [ScoreSheet; 2],
    /// Opens the deal commitment.
    pub seed: Seed,
}

/// A hand's result and the sheets after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoredHand {
    pub hand_number: u32,
    #[serde(flatten)]
    pub result: HandResult,
    pub sheets: [ScoreSheet; 2],
}

/// A durable fact of a match. What a viewer may not know is `None`, never the event itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    HandDealt {
        hand_number: u32,
        dealer: Seat,
        upcard: Option<Card>,
        /// By seat.
        hands: [Option<CardSet>; 2],
        stock_count: usize,
        knock_limit: u32,
        /// A spade upcard under the spades-double option.
        points_doubled: bool,
    },
    Passed {
        seat: Seat,
    },
    CardDrawn {
        seat: Seat,
        pile: Pile,
        card: Option<Card>,
    },
    CardDiscarded {
        seat: Seat,
        card: Option<Card>,
    },
    Knocked(Box<Showdown>),
    LaidOff(Box<LaidOff>),
    HandScored(Box<ScoredHand>),
    TimedOut {
        seat: Seat,
        /// Of this seat, in a row.
        timeouts: u32,
    },
    MatchEnded(Box<MatchResult>),
}

impl Event {
    /// Who caused the event; `None` is the table.
    #[must_use]
    pub const fn seat(&self) -> Option<Seat> {
        match self {
            Self::Passed { seat }
            | Self::CardDrawn { seat, .. }
            | Self::CardDiscarded { seat, .. }
            | Self::TimedOut { seat, .. } => Some(*seat),
            Self::Knocked(showdown) => Some(showdown.seat),
            Self::LaidOff(laid_off) => Some(laid_off.seat),
            Self::HandDealt { .. } | Self::HandScored(_) | Self::MatchEnded(_) => None,
        }
    }

    /// The event as this viewer saw it happen.
    ///
    /// `knock_card_face_down` is the match's option.
    #[must_use]
    pub fn seen_by(&self, viewer: Viewer, knock_card_face_down: bool) -> Self {
        let mut seen = self.clone();
        match &mut seen {
            Self::HandDealt { hands, .. } => {
                for seat in Seat::BOTH {
                    if !viewer.is(seat) {
                        hands[seat.index()] = None;
                    }
                }
            }
            Self::CardDrawn {
                seat,
                pile: Pile::Stock,
                card,
            } if !viewer.is(*seat) => *card = None,
            Self::Knocked(showdown) => {
                **showdown = showdown.seen_by(viewer, knock_card_face_down);
            }
            _ => {}
        }
        seen
    }

    /// Leaves out the faces that a pile shown by its top card alone no longer shows.
    fn forget_face(&mut self) {
        match self {
            Self::HandDealt { upcard: card, .. }
            | Self::CardDrawn {
                pile: Pile::Discard,
                card,
                ..
            }
            | Self::CardDiscarded { card, .. } => *card = None,
            _ => {}
        }
    }
}

/// Events as a viewer sees them who was not there when they happened.
///
/// `events` are a match's last ones, up to its head. Where the pile shows its top card alone and a
/// hand is running, that hand's events keep faces only for the viewer's own cards, the pile's top
/// card and the opponent's last action (for a spectator: the last action).
#[must_use]
pub fn replayed_to(
    viewer: Viewer,
    events: &[Event],
    pile_view: PileView,
    knock_card_face_down: bool,
) -> Vec<Event> {
    let mut seen: Vec<Event> = events
        .iter()
        .map(|event| event.seen_by(viewer, knock_card_face_down))
        .collect();
    let hand_is_running = !matches!(
        events.last(),
        None | Some(Event::HandScored(_) | Event::MatchEnded(_))
    );
    if pile_view == PileView::TopOnly && hand_is_running {
        let start = events
            .iter()
            .rposition(|e| matches!(e, Event::HandDealt { .. }))
            .unwrap_or(0);
        let running = &events[start..];
        let kept = [
            top_card_event(running),
            last_action_of_another(running, viewer),
        ];
        for (i, event) in seen[start..].iter_mut().enumerate() {
            let own = event.seat().is_some_and(|seat| viewer.is(seat));
            if !own && !kept.contains(&Some(i)) {
                event.forget_face();
            }
        }
    }
    seen
}

/// The event that put the pile's top card there, if these events say.
fn top_card_event(running: &[Event]) -> Option<usize> {
    let mut pile = Vec::new();
    for (i, event) in running.iter().enumerate() {
        match event {
            Event::HandDealt { .. } | Event::CardDiscarded { .. } => pile.push(i),
            // The knock card covers the last discard, face down too.
            Event::Knocked(showdown) if showdown.discard.is_some() => pile.push(i),
            Event::CardDrawn {
                pile: Pile::Discard,
                ..
            } => {
                pile.pop();
            }
            _ => {}
        }
    }
    pile.pop()
}

fn last_action_of_another(running: &[Event], viewer: Viewer) -> Option<usize> {
    running
        .iter()
        .rposition(|event| event.seat().is_some_and(|seat| !viewer.is(seat)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_discard_under_the_knock_card_is_not_replayed_where_only_the_top_shows() {
        let card = |text: &str| text.parse::<Card>().ok();
        let events = [
            Event::HandDealt {
                hand_number: 1,
                dealer: Seat::Two,
                upcard: card("AC"),
                hands: [None, None],
                stock_count: 31,
                knock_limit: 10,
                points_doubled: false,
            },
            Event::CardDiscarded {
                seat: Seat::One,
                card: card("KD"),
            },
            Event::CardDrawn {
                seat: Seat::Two,
                pile: Pile::Stock,
                card: card("2C"),
            },
            Event::Knocked(Box::new(Showdown {
                seat: Seat::Two,
                kind: KnockKind::Knock,
                melds: Melds::new(),
                deadwood: CardSet::EMPTY,
                deadwood_points: 0,
                discard: card("2C"),
            })),
        ];
        let seen = replayed_to(Viewer::Spectator, &events, PileView::TopOnly, true);
        let covered = Event::CardDiscarded {
            seat: Seat::One,
            card: None,
        };
        assert_eq!(seen[1], covered);
    }
}
