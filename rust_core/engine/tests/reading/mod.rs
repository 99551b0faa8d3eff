//! The published cases and recorded hands, in our names.

#![allow(dead_code, reason = "each test program uses a part of this")]

use std::path::PathBuf;

use ginrummy_engine::{
    Action, Card, CardSet, Layoff, MeldChoice, Phase, Pile, Position, Rules, Ruleset, Seat,
};
use serde_json::{Map, Value, json};

/// A file of the test data.
pub(crate) fn read(file: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/data")
        .join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn lines(file: &str) -> Vec<Value> {
    let text = read(file);
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().unwrap()
}

pub(crate) fn parsed<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{value}: {error}"))
}

/// Player A or B of the cases.
pub(crate) fn seat(player: &Value) -> Option<Seat> {
    match player.as_str() {
        Some("A") => Some(Seat::One),
        Some("B") => Some(Seat::Two),
        Some(other) => panic!("{other} is no player"),
        None => None,
    }
}

/// The other cards of the deck, in card order.
pub(crate) fn unseen(seen: CardSet) -> Vec<Card> {
    (CardSet::ALL - seen).into_iter().collect()
}

/// `solo` with a case's options in our names, auto unless the case says otherwise.
pub(crate) fn rules_of(named: &Value, layoffs: MeldChoice) -> Rules {
    let mut ours = Map::new();
    let mut set = |name: &str, value: Value| ours.insert(name.to_owned(), value);
    let same = [
        "knock_limit",
        "gin_bonus",
        "undercut_bonus",
        "undercut_on_tie",
        "box_bonus",
        "game_bonus",
        "boxes_immediate",
        "layoff_on_gin",
        "allow_discard_taken",
    ];
    for name in same {
        set(name, named[name].clone());
    }
    set("big_gin", json!(named["big_gin_bonus"].is_u64()));
    set("big_gin_bonus", named["big_gin_bonus"].clone());
    match &named["shutout"] {
        Value::Array(flat) => {
            set("shutout", json!("flat_bonus"));
            set("shutout_flat_bonus", flat[1].clone());
        }
        kind => {
            set("shutout", kind.clone());
        }
    }
    let single_hand = named["single_hand"] == true;
    let target = &named["target"];
    set(
        "target",
        if single_hand {
            json!(0)
        } else {
            target.clone()
        },
    );
    match &named["oklahoma"]["ace"] {
        Value::String(ace) => set("oklahoma", json!(format!("ace_is_{ace}"))),
        _ => None,
    };
    set("spades_double", named["spade_doubles"].clone());
    set("upcard_offer", named["first_upcard_offer"].clone());
    if let Some(rule) = named["dealer_rule"].as_str() {
        set("dealer_rule", json!(rule.trim_end_matches("_deals")));
    }
    if named["fiftieth_card"] == true {
        set("wall", json!("last_chance"));
    }
    set("hollywood", json!(named["columns"] == 3));
    let melds = &named["melds"];
    set(
        "knocker_melds",
        if melds.is_null() {
            json!("auto")
        } else {
            melds.clone()
        },
    );
    set("layoffs", serde_json::to_value(layoffs).unwrap());
    let solo = Ruleset::named("solo").unwrap();
    solo.with(parsed(&Value::Object(ours))).unwrap()
}

/// The cases of a kind, of which there are this many.
pub(crate) fn cases(kind: &str, count: usize) -> Vec<Value> {
    let mut cases = lines("cases/cases.jsonl");
    cases.retain(|case| case["kind"] == kind);
    assert_eq!(cases.len(), count);
    cases
}

/// Cards from text.
pub(crate) fn cards(text: &str) -> CardSet {
    text.parse().unwrap()
}

/// By seat, where the first belongs to this one.
pub(crate) fn in_order(hands: [CardSet; 2], first: Seat) -> [CardSet; 2] {
    match first {
        Seat::One => hands,
        Seat::Two => [hands[1], hands[0]],
    }
}

/// A hand in a state of the cases; what it does not say is filled with unseen cards.
pub(crate) fn position(phase: Phase, to_act: Seat, state: &Value) -> Position {
    let upcard: Option<Card> = parsed(&state["upcard"]);
    let said: Option<CardSet> = parsed(&state["hand"]);
    let seen = said.unwrap_or_default() | upcard.map_or(CardSet::EMPTY, CardSet::from);
    let mut rest = unseen(seen).into_iter();
    let size = if phase == Phase::Discard { 11 } else { 10 };
    let own = said.unwrap_or_else(|| rest.by_ref().take(size).collect());
    let other: CardSet = rest.by_ref().take(10).collect();
    let pile = upcard.or_else(|| rest.next()).unwrap();
    let drawn: Option<Card> = parsed(&state["drawn"]["card"]);
    // The dealer acts first only where he is offered what the other refused.
    let is_dealer = state["passes"] == 1;
    Position {
        dealer: if is_dealer { to_act } else { to_act.opponent() },
        phase,
        to_act,
        hands: in_order([own, other], to_act),
        stock: rest.collect(),
        discard_pile: vec![pile],
        upcard: None,
        must_draw_stock: state["must_draw_stock"] == true,
        drawn: (phase == Phase::Discard).then(|| drawn.or(own.first()).unwrap()),
        drawn_from: match state["drawn"]["source"].as_str() {
            Some("discard") => Pile::Discard,
            _ => Pile::Stock,
        },
        knocker_melds: Vec::new(),
    }
}

/// An action of the cases; none for a time-out, a view or a list.
pub(crate) fn action_of(named: &Value) -> Option<Action> {
    Some(match named["type"].as_str().unwrap() {
        "draw_stock" => Action::Draw { pile: Pile::Stock },
        "take_discard" => Action::Draw {
            pile: Pile::Discard,
        },
        "pass" => Action::Pass,
        "discard" => Action::Discard {
            card: parsed(&named["card"]),
        },
        "knock" => Action::Knock {
            discard: parsed(&named["card"]),
            melds: parsed::<Option<_>>(&named["melds"]).unwrap_or_default(),
        },
        "big_gin" => Action::BigGin { melds: Vec::new() },
        "layoff" => Action::LayOff {
            melds: Vec::new(),
            layoffs: vec![Layoff {
                card: parsed(&named["card"]),
                meld_index: parsed(&named["meld"]),
            }],
        },
        "list_knock_discards" | "timeout" | "view" => return None,
        other => panic!("{other}"),
    })
}
