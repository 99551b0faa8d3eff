//! The published cases of legal and illegal actions, views and time-outs.

mod reading;

use ginrummy_engine::{
    Action, Card, CardSet, Event, Hand, HandView, MeldChoice, Phase, Pile, Position, Rules, Seat,
    Viewer, deadwood,
};
use reading::{action_of, cards, cases, in_order, parsed, position, rules_of, seat, unseen};
use serde_json::{Value, json};

const A: Seat = Seat::One;
const B: Seat = Seat::Two;
const DRAW: Action = Action::Draw { pile: Pile::Stock };

/// A hand that stands as the state says; what it does not say is filled with unseen cards.
fn hand_of(rules: &Rules, state: &Value) -> Hand {
    let to_act = seat(&state["to_act"]).unwrap();
    if state["knock_result"] == "big_gin" {
        return after_big_gin(rules, to_act, state);
    }
    let position = match state["phase"].as_str().unwrap() {
        "layoff" => layoff_position(to_act, state),
        "upcard_offer" => position(Phase::Upcard, to_act, state),
        "draw" => position(Phase::Draw, to_act, state),
        "discard" => position(Phase::Discard, to_act, state),
        other => panic!("{other}"),
    };
    Hand::from_position(rules, &position).unwrap()
}

fn melded(melds: &[CardSet]) -> CardSet {
    melds.iter().fold(CardSet::EMPTY, |all, meld| all | *meld)
}

fn layoff_position(to_act: Seat, state: &Value) -> Position {
    let melds: Option<Vec<CardSet>> = parsed(&state["knocker_melds"]);
    let melds = melds.unwrap_or_else(|| ["5C5D5H", "9HTHJH", "KCKDKH"].map(cards).to_vec());
    let said: Option<CardSet> = parsed(&state["hand"]);
    let mut rest = unseen(melded(&melds) | said.unwrap_or_default());
    // High cards last: the knocker's tenth is low.
    rest.sort_by_key(|card| card.rank());
    let missing = 10 - melded(&melds).len();
    let knocker = melded(&melds) | rest.drain(..missing).collect();
    let own = said.unwrap_or_else(|| rest.drain(rest.len() - 10..).collect());
    Position {
        dealer: to_act,
        phase: Phase::Layoff,
        to_act,
        hands: in_order([own, knocker], to_act),
        discard_pile: rest.split_off(rest.len() - 2),
        stock: rest,
        upcard: None,
        must_draw_stock: false,
        drawn: None,
        drawn_from: Pile::Stock,
        knocker_melds: melds,
    }
}

fn after_big_gin(rules: &Rules, to_act: Seat, state: &Value) -> Hand {
    let ten = melded(&parsed::<Vec<CardSet>>(&state["knocker_melds"]));
    let own: CardSet = parsed(&state["hand"]);
    let eleventh = unseen(ten | own)
        .into_iter()
        .find(|card| deadwood(ten.with(*card)) == 0)
        .unwrap();
    let knocker = to_act.opponent();
    let state = json!({
        "to_act": if knocker == A { "A" } else { "B" },
        "hand": ten.with(eleventh),
        "drawn": {"card": eleventh},
    });
    let mut position = position(Phase::Discard, knocker, &state);
    let rest = unseen(ten.with(eleventh) | own);
    position.hands[to_act.index()] = own;
    position.discard_pile = rest[..1].to_vec();
    position.stock = rest[1..].to_vec();
    let mut hand = Hand::from_position(rules, &position).unwrap();
    hand.apply(knocker, &Action::BigGin { melds: Vec::new() })
        .unwrap();
    hand
}

#[test]
fn every_legal_case_is_judged_as_published() {
    for case in cases("legal", 37) {
        let (state, named) = (&case["input"]["state"], &case["input"]["action"]);
        let layoffs = if state["phase"] == "layoff" {
            MeldChoice::Either
        } else {
            MeldChoice::Auto
        };
        let hand = hand_of(&rules_of(&case["input"]["rules"], layoffs), state);
        match (action_of(named), named["type"].as_str().unwrap()) {
            (Some(action), _) => judge(hand, &action, &case),
            (_, "list_knock_discards") => list_knock_discards(&hand, &case),
            (_, "timeout") => time_out(hand, &case),
            _ => view(hand, &case),
        }
    }
}

fn judge(mut hand: Hand, action: &Action, case: &Value) {
    let (expect, id) = (&case["expect"], &case["id"]);
    let by = seat(&case["input"]["action"]["by"]).unwrap();
    let mut code = expect["code"].as_str().unwrap().to_lowercase();
    let legal = expect["legal"] == true;
    if code == "stale_version" {
        // Versions are the table's; what they are for is that nothing is applied twice.
        hand.apply(by, action).unwrap();
        "not_your_turn".clone_into(&mut code);
    }
    let before = hand.clone();
    match hand.apply(by, action) {
        Ok(events) => {
            assert!(legal, "{id} is refused");
            if expect["result"].is_string() {
                let Event::Knocked(showdown) = &events[0] else {
                    panic!("{id}: {events:?}");
                };
                assert_eq!(json!(showdown.kind), expect["result"], "{id}");
                let points = expect["deadwood"].as_u64().unwrap_or(0);
                assert_eq!(u64::from(showdown.deadwood_points), points, "{id}");
            }
        }
        Err(violation) => {
            assert!(!legal, "{id}: {violation}");
            assert_eq!(
                serde_json::to_value(violation).unwrap()["kind"],
                code,
                "{id}"
            );
            assert_eq!(hand, before, "{id}: refused, but something changed");
        }
    }
}

fn list_knock_discards(hand: &Hand, case: &Value) {
    let options = hand.discard_options(A, false).unwrap().options;
    let listed: CardSet = options.iter().map(|option| option.card).collect();
    let expected: CardSet = parsed(&case["expect"]["knock_discards"]);
    assert_eq!(listed, expected, "{}", case["id"]);
}

fn time_out(mut hand: Hand, case: &Value) {
    let names = hand.time_out().into_iter().map(|event| match event {
        Event::CardDrawn {
            pile: Pile::Stock, ..
        } => "draw_stock",
        Event::CardDiscarded { .. } => "discard",
        other => panic!("{other:?}"),
    });
    assert_eq!(json!(names.collect::<Vec<_>>()), case["expect"]["auto"]);
    assert_eq!((hand.phase(), hand.to_act()), (Phase::Draw, Some(B)));
}

fn view(mut hand: Hand, case: &Value) {
    let mut position = hand.position().unwrap();
    let viewer = Viewer::Seat(seat(&case["input"]["action"]["viewer"]).unwrap());
    if hand.phase() == Phase::Discard {
        // How a card came into a hand is an action: it is played, not set up.
        let drawn = position.drawn.take().unwrap();
        position.phase = Phase::Draw;
        position.hands[B.index()].remove(drawn);
        position.stock.insert(0, drawn);
        hand = Hand::from_position(hand.rules(), &position).unwrap();
        hand.apply(B, &DRAW).unwrap();
    }
    let view = HandView::new(&hand, viewer, true);
    let hidden = hand.cards(B) | position.stock.iter().copied().collect();
    let shown = shown(&serde_json::to_value(&view).unwrap());
    assert!(shown.is_disjoint(hidden), "{}: {shown}", case["id"]);
    assert_eq!(view.hand_counts[1], hand.cards(B).len());
    assert_eq!(view.discard_pile.last(), hand.discard_pile().last());
    match view.showdown {
        Some(showdown) => assert_eq!(
            showdown
                .melds
                .iter()
                .map(|meld| meld.cards())
                .collect::<Vec<_>>(),
            position.knocker_melds
        ),
        None => assert_eq!(
            view.last_action,
            Some(Event::CardDrawn {
                seat: B,
                pile: Pile::Stock,
                card: None
            })
        ),
    }
}

/// Every card named anywhere.
fn shown(value: &Value) -> CardSet {
    match value {
        Value::String(text) => text.parse::<Card>().map_or(CardSet::EMPTY, CardSet::from),
        Value::Array(items) => items.iter().fold(CardSet::EMPTY, |all, v| all | shown(v)),
        Value::Object(fields) => fields
            .values()
            .fold(CardSet::EMPTY, |all, v| all | shown(v)),
        _ => CardSet::EMPTY,
    }
}
