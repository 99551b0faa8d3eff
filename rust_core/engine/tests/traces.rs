//! Whole hands that another engine played: every action is accepted, every score agrees.

mod reading;

use ginrummy_engine::{
    Action, Card, CardSet, Hand, MeldChoice, Oklahoma, Outcome, Overrides, Phase, Pile, Position,
    Rules, Ruleset, Seat,
};
use reading::{lines, parsed, unseen};
use serde_json::{Value, json};

/// Players of the recorded hands are 0 and 1.
fn player(number: &Value) -> Seat {
    Seat::BOTH[parsed::<usize>(number)]
}

fn rules(trace: &Value) -> Rules {
    let named = &trace["rules"];
    let oklahoma = named["oklahoma"] == true;
    let overrides = Overrides {
        upcard_offer: parsed(&named["upcard_offer"]),
        gin_bonus: parsed(&named["gin_bonus"]),
        undercut_bonus: parsed(&named["undercut_bonus"]),
        oklahoma: oklahoma.then_some(Oklahoma::AceIsGin),
        knocker_melds: Some(MeldChoice::Declared),
        layoffs: Some(MeldChoice::Auto),
        ..Overrides::default()
    };
    Ruleset::named("solo").unwrap().with(overrides).unwrap()
}

/// The deal; what was never drawn lies below the rest of the stock.
fn start(trace: &Value) -> Position {
    let hands: [CardSet; 2] = parsed(&trace["hands"]);
    let upcard: Card = parsed(&trace["upcard"]);
    let mut stock: Vec<Card> = parsed(&trace["stock_draws"]);
    let drawn: CardSet = stock.iter().copied().collect();
    stock.extend(unseen(hands[0] | hands[1] | drawn | upcard.into()));
    let dealer = player(&trace["dealer"]);
    Position {
        dealer,
        phase: Phase::Upcard,
        to_act: dealer.opponent(),
        hands,
        stock,
        discard_pile: vec![upcard],
        upcard: None,
        must_draw_stock: false,
        drawn: None,
        drawn_from: Pile::Stock,
        knocker_melds: Vec::new(),
    }
}

fn action(played: &Value) -> Action {
    match played["do"].as_str().unwrap() {
        "pass" => Action::Pass,
        "draw_stock" => Action::Draw { pile: Pile::Stock },
        "take_discard" => Action::Draw {
            pile: Pile::Discard,
        },
        "discard" => Action::Discard {
            card: parsed(&played["card"]),
        },
        "knock" => Action::Knock {
            discard: parsed(&played["card"]),
            melds: parsed(&played["melds"]),
        },
        other => panic!("{other}"),
    }
}

/// The result in the words of the recorded hands.
fn ended(hand: &Hand) -> Value {
    let result = hand.result().expect("the recorded hand ends");
    let number = |seat: Option<Seat>| seat.map(Seat::index);
    let mut ended = json!({
        "end": result.outcome,
        "winner": number(result.winner),
        "points": result.points,
    });
    if result.outcome != Outcome::Dead {
        let knocker = result.knocker.unwrap();
        let arrangements = result.arrangements.as_ref().unwrap();
        let points = |seat: Seat| json!(arrangements[seat.index()].deadwood_points);
        ended["knocker"] = json!(knocker.index());
        ended["knocker_deadwood"] = points(knocker);
        ended["defender_deadwood"] = points(knocker.opponent());
    }
    ended
}

fn replay(file: &str) -> usize {
    let traces = lines(file);
    for trace in &traces {
        let id = &trace["id"];
        let mut hand = Hand::from_position(&rules(trace), &start(trace)).unwrap();
        assert_eq!(
            json!(hand.knock_limit()),
            trace["rules"]["knock_limit"],
            "{id}"
        );
        for (n, played) in trace["actions"].as_array().unwrap().iter().enumerate() {
            let accepted = hand.apply(player(&played["seat"]), &action(played));
            assert!(accepted.is_ok(), "{id}, action {n}: {accepted:?}");
        }
        assert_eq!(ended(&hand), trace["expect"], "{id}");
    }
    traces.len()
}

#[test]
fn all_600_recorded_hands_end_with_exactly_their_score() {
    assert_eq!(replay("traces/hands.jsonl"), 600);
}

#[test]
fn all_150_recorded_oklahoma_hands_end_with_exactly_their_score() {
    assert_eq!(replay("traces/oklahoma.jsonl"), 150);
}
