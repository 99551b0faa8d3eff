//! What a viewer is shown of a hand, and what is hinted.

mod positions;

use ginrummy_engine::{
    Action, Card, CardSet, Event, Hand, HandView, Overrides, Phase, PileView, Rules, Viewer,
};
use positions::{
    A, B, DEFENDER, KNOCKER, TAKE, card, cards, knock, plain, position, rules, to_discard,
};

#[test]
fn a_face_down_knock_card_is_known_to_its_owner_alone() {
    let rules = rules("kawu", Overrides::default());
    let mut hand = to_discard(&rules, KNOCKER, DEFENDER, "KS", 20);
    let events = hand.apply(A, &knock("KS")).unwrap();
    let shown = |viewer| {
        let Event::Knocked(showdown) = events[0].seen_by(viewer, true) else {
            panic!()
        };
        let view = HandView::new(&hand, viewer, true);
        let last = view
            .last_action
            .map(|event| format!("{event:?}").contains("KS"));
        let in_view = view.showdown.unwrap().discard;
        (
            showdown.discard,
            in_view,
            view.discard_pile.last().copied(),
            view.discard_count,
            last,
        )
    };
    let count = hand.discard_pile().len();
    let ks = Some(card("KS"));
    let below = hand.discard_pile()[count - 2];
    assert_eq!(shown(Viewer::Seat(A)), (ks, ks, ks, count, None));
    for viewer in [Viewer::Seat(B), Viewer::Spectator] {
        assert_eq!(shown(viewer), (None, None, Some(below), count, Some(false)));
    }
}

#[test]
fn a_top_only_pile_shows_its_top_card_and_count_and_no_known_cards() {
    let rules = Rules {
        pile_view: PileView::TopOnly,
        upcard_offer: false,
        ..plain()
    };
    let a = "5H 6H 7H QC QD QH 2S 2D 2C 9C";
    let mut hand =
        Hand::from_position(&rules, &position(Phase::Draw, a, DEFENDER, "JH KS", 20)).unwrap();
    hand.apply(A, &TAKE).unwrap();
    let view = HandView::new(&hand, Viewer::Seat(B), true);
    assert_eq!(
        (view.discard_pile, view.known_cards[0]),
        (vec![card("JH")], CardSet::EMPTY)
    );
    assert_eq!(view.discard_count, hand.discard_pile().len());
    assert_eq!(view.own_hand, Some(cards(DEFENDER)));
}

#[test]
fn without_hints_only_knocks_and_the_best_value_are_listed() {
    let hand = to_discard(&plain(), KNOCKER, DEFENDER, "KS", 20);
    let with = hand.discard_options(A, true).unwrap();
    assert_eq!(with.options.len(), 11);
    assert_eq!(with.hint, Some(knock("KS")));
    let without = hand.discard_options(A, false).unwrap();
    let listed: Vec<_> = without
        .options
        .iter()
        .map(|o| (o.card, o.deadwood_points))
        .collect();
    assert_eq!(listed, [(card("KS"), 9), (card("9C"), 10)]);
    assert_eq!((without.best_deadwood, without.hint), (9, None));
    assert!(hand.discard_options(B, true).is_none());
}

#[test]
fn legal_actions_come_in_card_order_and_so_give_no_hint() {
    let hand = to_discard(&plain(), KNOCKER, DEFENDER, "KS", 20);
    let listed = |of: fn(&Action) -> Option<Card>| -> Vec<Card> {
        hand.legal_actions(A).iter().filter_map(of).collect()
    };
    let discards = listed(|action| match action {
        Action::Discard { card } => Some(*card),
        _ => None,
    });
    assert_eq!(discards, cards(KNOCKER).into_iter().collect::<Vec<_>>());
    let knocks = listed(|action| match action {
        Action::Knock { discard, .. } => Some(*discard),
        _ => None,
    });
    assert_eq!(knocks, [card("9C"), card("KS")]);
}

#[test]
fn the_hint_knocks_with_the_best_discard_and_with_a_card_just_taken_only_if_nothing_else_can() {
    let rules = Rules {
        allow_discard_taken: true,
        ..plain()
    };
    let hint = |a: &str, taken: &str| {
        let mut position = position(Phase::Draw, a, DEFENDER, taken, 20);
        position.upcard = Some(card(taken));
        let mut hand = Hand::from_position(&rules, &position).unwrap();
        hand.apply(A, &TAKE).unwrap();
        hand.discard_options(A, true).unwrap().hint.unwrap()
    };
    assert_eq!(hint("5H 6H 7H QC QD QH 2S 2D 2C 9C", "KS"), knock("9C"));
    assert_eq!(hint("5H 6H 7H QC QD QH 2S 4D AS 3C", "KS"), knock("KS"));
}

#[test]
fn the_last_action_shown_is_the_layoff_once_it_is_made() {
    let mut hand = to_discard(&plain(), KNOCKER, DEFENDER, "KS", 20);
    hand.apply(A, &knock("KS")).unwrap();
    let events = hand.apply(B, &Action::lay_off_best()).unwrap();
    for viewer in [Viewer::Seat(A), Viewer::Spectator] {
        let view = HandView::new(&hand, viewer, true);
        assert_eq!(view.last_action.as_ref(), events.first());
    }
}

#[test]
fn a_bot_remembers_the_pile_that_its_seat_saw_where_a_snapshot_shows_the_top_alone() {
    let rules = Rules {
        pile_view: PileView::TopOnly,
        upcard_offer: false,
        ..plain()
    };
    let a = "5H 6H 7H QC QD QH 2S 2D 2C 9C";
    let mut hand =
        Hand::from_position(&rules, &position(Phase::Draw, a, DEFENDER, "JH KS", 20)).unwrap();
    hand.apply(A, &TAKE).unwrap();
    let view = ginrummy_engine::SeatView::new(&hand, B);
    assert_eq!(view.discard_pile(), hand.discard_pile());
    assert_eq!(view.known_of_opponent(), cards("KS"));
}
