//! What events and views name of the cards, against what each viewer may know, in random matches.

mod dice;

use dice::{Dice, Step};
use ginrummy_engine::{
    Card, CardSet, Command, Event, Hand, HandView, Match, Pile, PileView, Rules, Seat, SeatView,
    Seed, Viewer, replayed_to,
};
use serde_json::Value;

const VIEWERS: [Viewer; 3] = [
    Viewer::Spectator,
    Viewer::Seat(Seat::One),
    Viewer::Seat(Seat::Two),
];

/// What each viewer may know of the cards of one hand, kept without the engine's views.
struct Knowledge {
    /// The cards of [`VIEWERS`].
    known: [CardSet; 3],
    /// Who holds what; the table's truth.
    hands: [CardSet; 2],
    knock_card_face_down: bool,
}

impl Knowledge {
    fn new(hand: &Hand) -> Self {
        let hands = Seat::BOTH.map(|seat| hand.cards(seat));
        let upcard = CardSet::from(hand.upcard());
        Self {
            known: [upcard, upcard | hands[0], upcard | hands[1]],
            hands,
            knock_card_face_down: hand.rules().knock_card_face_down,
        }
    }

    fn all_learn(&mut self, cards: CardSet) {
        for known in &mut self.known {
            *known |= cards;
        }
    }

    fn follow(&mut self, event: &Event) {
        match event {
            Event::CardDrawn { seat, pile, card } => {
                let card = card.unwrap();
                self.hands[seat.index()].insert(card);
                self.known[usize::from(seat.number())].insert(card);
                if *pile == Pile::Discard {
                    self.all_learn(card.into());
                }
            }
            Event::CardDiscarded { seat, card } => {
                self.hands[seat.index()].remove(card.unwrap());
                self.all_learn(card.unwrap().into());
            }
            Event::Knocked(showdown) => {
                if let Some(card) = showdown.discard {
                    self.hands[showdown.seat.index()].remove(card);
                    if !self.knock_card_face_down {
                        self.all_learn(card.into());
                    }
                }
                self.all_learn(self.hands[showdown.seat.index()]);
            }
            Event::LaidOff(laid_off) => self.all_learn(self.hands[laid_off.seat.index()]),
            // After gin nothing is laid off, and the defender's cards are in the result.
            Event::HandScored(scored) if scored.result.arrangements.is_some() => {
                self.all_learn(self.hands[0] | self.hands[1]);
            }
            _ => {}
        }
    }
}

/// Every card named anywhere.
fn cards_in(value: &Value) -> CardSet {
    match value {
        Value::String(text) if text.len() == 2 => {
            text.parse::<Card>().map_or(CardSet::EMPTY, CardSet::from)
        }
        Value::Array(items) => items
            .iter()
            .fold(CardSet::EMPTY, |all, v| all | cards_in(v)),
        Value::Object(fields) => fields
            .values()
            .fold(CardSet::EMPTY, |all, v| all | cards_in(v)),
        _ => CardSet::EMPTY,
    }
}

fn cards_shown(shown: &impl serde::Serialize) -> CardSet {
    cards_in(&serde_json::to_value(shown).unwrap())
}

fn assert_views_keep_secrets(hand: &Hand, knowledge: &Knowledge) {
    for (viewer, known) in VIEWERS.into_iter().zip(knowledge.known) {
        let view = HandView::new(hand, viewer, true);
        let shown = cards_shown(&view);
        assert!(shown.is_subset(known), "{viewer:?}: {:?}", shown - known);
        if hand.rules().pile_view == PileView::TopOnly {
            assert!(view.discard_pile.len() <= 1);
            assert!(view.known_cards.iter().all(|cards| cards.is_empty()));
        }
        let Some(seat) = viewer.seat() else {
            continue;
        };
        let seat_view = SeatView::new(hand, seat);
        let seen = cards_shown(&(
            seat_view.cards(),
            seat_view.discard_pile(),
            seat_view.known_of_opponent(),
            seat_view.legal_actions(),
            seat_view.showdown(),
            (seat_view.top_discard(), seat_view.barred_discard()),
        ));
        assert!(seen.is_subset(known), "{viewer:?}: {:?}", seen - known);
        let opponent = hand.cards(seat.opponent());
        assert!(seat_view.known_of_opponent().is_subset(opponent));
    }
}

#[test]
fn no_event_and_no_view_names_a_card_that_its_viewer_may_not_know() {
    for number in 0..600 {
        let mut dice = Dice::new(number);
        let rules = dice.rules();
        let (mut game, dealt) = Match::start(&rules, Seed::new(dice.bytes()));
        let mut knowledge = Knowledge::new(game.hand());
        assert_events_keep_secrets(&dealt, &rules, &mut knowledge, game.hand());
        for _ in 0..300 {
            if game.result().is_some() {
                break;
            }
            assert_views_keep_secrets(game.hand(), &knowledge);
            let command = match dice.step(game.hand()) {
                Step::Act(seat, action) => Command::Act { seat, action },
                Step::TimeOut => Command::TimeOut {
                    timeouts_to_forfeit: 0,
                },
            };
            let events = game.apply(&command).unwrap();
            assert_events_keep_secrets(&events, &rules, &mut knowledge, game.hand());
        }
    }
}

fn assert_events_keep_secrets(
    events: &[Event],
    rules: &Rules,
    knowledge: &mut Knowledge,
    hand: &Hand,
) {
    for event in events {
        if matches!(event, Event::HandDealt { .. }) {
            *knowledge = Knowledge::new(hand);
        }
        knowledge.follow(event);
        for (viewer, known) in VIEWERS.into_iter().zip(knowledge.known) {
            let seen = event.seen_by(viewer, rules.knock_card_face_down);
            let shown = cards_shown(&seen);
            assert!(shown.is_subset(known), "{viewer:?}: {seen:?}");
        }
    }
}

#[test]
fn events_replayed_in_a_running_hand_name_no_more_than_its_view_where_only_the_top_shows() {
    for number in 0..300 {
        let mut dice = Dice::new(number);
        let mut rules = dice.rules();
        rules.pile_view = PileView::TopOnly;
        let (mut game, mut events) = Match::start(&rules, Seed::new(dice.bytes()));
        for _ in 0..120 {
            if game.result().is_some() {
                break;
            }
            let (seat, action) = dice.legal_action(game.hand());
            events.extend(game.apply(&Command::Act { seat, action }).unwrap());
            let start = events
                .iter()
                .rposition(|e| matches!(e, Event::HandDealt { .. }))
                .unwrap();
            for viewer in VIEWERS {
                let replayed =
                    replayed_to(viewer, &events, rules.pile_view, rules.knock_card_face_down);
                assert_eq!(replayed.len(), events.len());
                let running = replayed
                    .last()
                    .is_some_and(|e| !matches!(e, Event::HandScored(_) | Event::MatchEnded(_)));
                let own = viewer.seat().map(|seat| own_faces(&events[start..], seat));
                let allowed = own.unwrap_or_default()
                    | cards_shown(&HandView::new(game.hand(), viewer, false))
                    | last_faces(&events[start..], viewer);
                let shown = cards_shown(&replayed[start..].to_vec());
                assert!(
                    !running || shown.is_subset(allowed),
                    "{:?}",
                    shown - allowed
                );
            }
        }
    }
}

/// The cards of a seat's own deal and actions.
fn own_faces(events: &[Event], seat: Seat) -> CardSet {
    let own = events.iter().filter(|event| event.seat() == Some(seat));
    let dealt = match &events[0] {
        Event::HandDealt { hands, .. } => hands[seat.index()].unwrap(),
        other => panic!("{other:?}"),
    };
    own.fold(dealt, |all, event| all | cards_shown(event))
}

/// The cards of the last action that is not the viewer's own.
fn last_faces(events: &[Event], viewer: Viewer) -> CardSet {
    let of_another = |event: &&Event| event.seat().is_some_and(|seat| !viewer.is(seat));
    let last = events.iter().rev().find(of_another);
    last.map_or(CardSet::EMPTY, |event| {
        cards_shown(&event.seen_by(viewer, true))
    })
}
