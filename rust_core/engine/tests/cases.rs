//! The published cases of scores, matches and deals. Those of actions are in `cases_legal.rs`, those of
//! melds and layoffs in `cases_solver.rs`.

mod reading;

use ginrummy_engine::{
    Action, Bot, Card, CardSet, Command, Event, Hand, KnockKind, Ledger, Match, MeldChoice,
    Outcome, Phase, Pile, Rules, Ruleset, Seat, SeatView, Seed, Thinking, next_dealer, score_hand,
};
use reading::{action_of, cards, cases, parsed, position, rules_of, seat, unseen};
use serde_json::{Value, json};

const A: Seat = Seat::One;
const B: Seat = Seat::Two;
const DRAW: Action = Action::Draw { pile: Pile::Stock };
const TAKE: Action = Action::Draw {
    pile: Pile::Discard,
};

// ------------------------------------------------------------------ scores and matches

/// How a hand of which the deadwood is known comes out: outcome, winner, points.
fn scored(rules: &Rules, played: &Value) -> (Option<Outcome>, Option<Seat>, u32) {
    let kind = match played["end"].as_str() {
        None => return (None, seat(&played["winner"]), parsed(&played["points"])),
        Some("dead") => return (Some(Outcome::Dead), None, 0),
        Some("gin") => KnockKind::Gin,
        Some("big_gin") => KnockKind::BigGin,
        Some(_) => KnockKind::Knock,
    };
    let knocker = seat(&played["knocker"]).unwrap();
    let points = ["A", "B"].map(|player| parsed::<u32>(&played["deadwood"][player]));
    let defender = knocker.opponent();
    let score = score_hand(
        rules,
        kind,
        points[knocker.index()],
        points[defender.index()],
    );
    let winner = score
        .knocker_wins
        .map(|wins| if wins { knocker } else { defender });
    let doubling = if points_doubled(rules, &played["upcard"]) {
        2
    } else {
        1
    };
    (Some(score.outcome), winner, score.points * doubling)
}

fn points_doubled(rules: &Rules, upcard: &Value) -> bool {
    let Some(upcard) = parsed::<Option<Card>>(upcard) else {
        return false;
    };
    let state = json!({"upcard": upcard});
    let position = position(Phase::Draw, A, &state);
    Hand::from_position(rules, &position)
        .unwrap()
        .points_doubled()
}

#[test]
fn every_score_case_pays_its_winner_alone() {
    for case in cases("score", 18) {
        let (played, expect, id) = (&case["input"], &case["expect"], &case["id"]);
        let rules = rules_of(&played["ruleset"], MeldChoice::Auto);
        if played["hands"].is_object() {
            score_showdown(&rules, &case);
            continue;
        }
        let (outcome, winner, points) = scored(&rules, played);
        assert_eq!(json!(outcome), expect["result"], "{id}");
        assert_eq!(winner, seat(&expect["winner"]), "{id}");
        assert_eq!(json!(points), expect["points"], "{id}");
    }
}

/// A knock with ten cards against ten others, played.
fn score_showdown(rules: &Rules, case: &Value) {
    let (played, expect, id) = (&case["input"], &case["expect"], &case["id"]);
    let hands = ["A", "B"].map(|player| parsed::<CardSet>(&played["hands"][player]));
    let knocker = seat(&played["knocker"]).unwrap();
    let rest = unseen(hands[0] | hands[1]);
    let state = json!({
        "hand": hands[knocker.index()].with(rest[0]),
        "drawn": {"card": rest[0]},
    });
    let mut position = position(Phase::Discard, knocker, &state);
    position.hands[knocker.opponent().index()] = hands[knocker.opponent().index()];
    position.discard_pile = rest[1..2].to_vec();
    position.stock = rest[2..].to_vec();
    let mut hand = Hand::from_position(rules, &position).unwrap();
    hand.apply(knocker, &Action::knock(rest[0])).unwrap();
    let result = hand.result().unwrap();
    assert_eq!(json!(result.outcome), expect["result"], "{id}");
    assert_eq!(result.winner, seat(&expect["winner"]), "{id}");
    assert_eq!(json!(result.points), expect["points"], "{id}");
    let arrangements = result.arrangements.as_ref().unwrap();
    for (player, arrangement) in ["A", "B"].into_iter().zip(arrangements) {
        assert_eq!(
            json!(arrangement.deadwood_points),
            expect["deadwood"][player],
            "{id}"
        );
    }
}

#[test]
fn every_match_case_is_counted_to_its_end() {
    for case in cases("match", 16) {
        let (expect, id) = (&case["expect"], &case["id"]);
        let rules = rules_of(&case["input"]["ruleset"], MeldChoice::Auto);
        let mut ledger = Ledger::new(&rules);
        for played in case["input"]["hands"].as_array().unwrap() {
            assert!(!ledger.is_over(), "{id}: played after its end");
            if let (_, Some(winner), points) = scored(&rules, played) {
                ledger.record(winner, points);
            }
        }
        assert_eq!(json!(ledger.is_over()), expect["over"], "{id}");
        let sheets = ledger.sheets();
        if let Some(columns) = expect["columns"].as_array() {
            for (n, column) in columns.iter().enumerate() {
                let [one, two] = [&sheets[0].columns[n], &sheets[1].columns[n]];
                let counted = json!({"A": one.hand_points, "B": two.hand_points});
                assert_eq!(counted, *column, "{id}");
                let winner = seat(&expect["column_winner"][n]);
                assert_eq!(
                    [one.won, two.won],
                    Seat::BOTH.map(|s| winner == Some(s)),
                    "{id}"
                );
            }
            continue;
        }
        assert_eq!(ledger.winner(), seat(&expect["winner"]), "{id}");
        let [one, two] = ledger.running();
        assert_eq!(json!({"A": one, "B": two}), expect["running"], "{id}");
        let [one, two] = sheets.each_ref().map(|sheet| sheet.columns[0]);
        assert_eq!(
            json!({"A": one.boxes, "B": two.boxes}),
            expect["boxes"],
            "{id}"
        );
        if let Some(shutout) = expect["shutout"].as_bool() {
            assert_eq!(one.shutout_bonus + two.shutout_bonus > 0, shutout, "{id}");
        }
        if expect["final"].is_object() {
            let totals = json!({"A": sheets[0].total, "B": sheets[1].total});
            assert_eq!(totals, expect["final"], "{id}");
        }
    }
}

// ------------------------------------------------------------------ deals

#[test]
fn every_deal_case_holds() {
    for case in cases("deal", 16) {
        match case["input"]["check"].as_str().unwrap() {
            "initial_layout" => initial_layout(&case),
            "dealer_rotation" => dealer_rotation(&case),
            "dead_hand" => dead_hand(&case),
            "offer_flow" => offer_flow(&case),
            "seed_replay" => seed_replay(&case),
            "card_conservation" => card_conservation(&case),
            other => panic!("{other}"),
        }
    }
}

fn rules_of_case(case: &Value) -> Rules {
    rules_of(&case["input"]["rules"], MeldChoice::Auto)
}

fn initial_layout(case: &Value) {
    let expect = &case["expect"];
    for ruleset in Ruleset::ALL {
        let hand = Hand::deal(&ruleset.rules, &Seed::new([0; 32]).deck(1), A);
        assert_eq!(
            json!(Seat::BOTH.map(|s| hand.cards(s).len())),
            expect["hand_sizes"]
        );
        assert_eq!(json!(hand.discard_pile().len()), expect["discard"]);
        assert_eq!(json!(hand.stock_len()), expect["stock"]);
        assert_each_card_once(&hand);
    }
}

fn assert_each_card_once(hand: &Hand) {
    let position = hand.position().unwrap();
    let piles = position.stock.iter().chain(&position.discard_pile).copied();
    let hands = position.hands.into_iter().flatten();
    let all: Vec<Card> = piles.chain(hands).collect();
    assert_eq!(all.len(), 52);
    assert_eq!(all.into_iter().collect::<CardSet>(), CardSet::ALL);
}

fn dealer_rotation(case: &Value) {
    let rules = rules_of_case(case);
    let name = |seat| if seat == A { "A" } else { "B" };
    let mut dealer = seat(&case["input"]["first_dealer"]).unwrap();
    let (mut dealers, mut first) = (vec![], vec![]);
    let mut enter = |dealer| {
        dealers.push(name(dealer));
        let hand = Hand::deal(&rules, &Seed::new([0; 32]).deck(1), dealer);
        first.push(name(hand.to_act().unwrap()));
    };
    enter(dealer);
    for winner in case["input"]["results"].as_array().unwrap() {
        let winner = if winner == "dead" { None } else { seat(winner) };
        dealer = next_dealer(rules.dealer_rule, dealer, winner);
        enter(dealer);
    }
    assert_eq!(json!(dealers), case["expect"]["dealers"], "{}", case["id"]);
    assert_eq!(
        json!(first),
        case["expect"]["first_to_act"],
        "{}",
        case["id"]
    );
}

/// Ten cards in melds, so that any eleventh may be the knock card; 8H makes big gin of them.
const TEN: &str = "5H 6H 7H QC QD QH 2S 2D 2C 2H";

fn dead_hand(case: &Value) {
    let (given, expect, id) = (&case["input"], &case["expect"], &case["id"]);
    let rules = rules_of_case(case);
    let then = given["then"].as_str().unwrap();
    let top: Card = if then == "big_gin" { "8H" } else { "KS" }.parse().unwrap();
    let pile_top: Card = "KD".parse().unwrap();
    let other = cards("AC AD AH 3C 4C 5C 9S TS JS QS");
    let rest = unseen(cards(TEN) | other | top.into() | pile_top.into());
    let below_top = rest.len() + 1 - parsed::<usize>(&given["stock_before"]);
    let mut position = position(Phase::Draw, A, &json!({}));
    position.hands = [cards(TEN), other];
    position.stock = [&[top], &rest[below_top..]].concat();
    position.discard_pile = [&rest[..below_top], &[pile_top]].concat();
    let mut hand = Hand::from_position(&rules, &position).unwrap();
    hand.apply(
        A,
        if given["draw"] == "stock" {
            &DRAW
        } else {
            &TAKE
        },
    )
    .unwrap();
    let groups = match rules.knocker_melds {
        MeldChoice::Declared => ["5H6H7H", "QCQDQH", "2S2D2C2H"].map(cards).to_vec(),
        _ => Vec::new(),
    };
    let played = match then {
        // A low card, with which the opponent's hand allows a knock.
        "discard" => Action::Discard {
            card: "2D".parse().unwrap(),
        },
        "knock" => Action::Knock {
            discard: top,
            melds: groups,
        },
        _ => Action::BigGin { melds: groups },
    };
    hand.apply(A, &played).unwrap();
    let result = hand.result().cloned();
    let is_dead = result.as_ref().is_some_and(|r| r.outcome == Outcome::Dead);
    assert_eq!(json!(is_dead), expect["dead"], "{id}");
    if expect["stock_after"].is_u64() {
        assert_eq!(json!(hand.stock_len()), expect["stock_after"], "{id}");
    }
    if expect["points"].is_u64() {
        assert_eq!(
            result.as_ref().map(|r| json!(r.points)),
            Some(expect["points"].clone())
        );
    }
    if expect["hand_scored"] == true {
        assert_eq!(result.and_then(|r| r.winner), Some(A), "{id}");
    }
    if expect["next_phase"].is_string() {
        assert_eq!(json!(hand.phase()), expect["next_phase"], "{id}");
    }
    if expect["next_actions"].is_array() {
        assert_eq!(hand.legal_actions(B), [Action::Pass, TAKE], "{id}");
        hand.apply(B, &TAKE).unwrap();
        let legal = hand.legal_actions(B);
        assert!(
            legal.iter().all(|a| matches!(a, Action::Knock { .. })),
            "{id}: {legal:?}"
        );
    }
}

fn name_of(action: &Action) -> &'static str {
    match action {
        Action::Pass => "pass",
        Action::Draw { pile: Pile::Stock } => "draw_stock",
        Action::Draw { .. } => "take_discard",
        Action::Discard { .. } => "discard",
        Action::Knock { .. } => "knock",
        Action::BigGin { .. } => "big_gin",
        Action::LayOff { .. } => "lay_off",
    }
}

fn offer_flow(case: &Value) {
    let (given, expect, id) = (&case["input"], &case["expect"], &case["id"]);
    let dealer = seat(&given["dealer"]).unwrap();
    let mut hand = Hand::deal(&rules_of_case(case), &Seed::new([0; 32]).deck(1), dealer);
    for played in given["events"].as_array().unwrap() {
        let (player, named) = played.as_str().unwrap().split_once(':').unwrap();
        let action = action_of(&json!({ "type": named })).unwrap();
        hand.apply(seat(&json!(player)).unwrap(), &action).unwrap();
    }
    let to_act = seat(&expect["to_act"]).unwrap();
    assert_eq!(hand.to_act(), Some(to_act), "{id}");
    let legal = hand.legal_actions(to_act);
    let allowed: Vec<&str> = parsed_names(&expect["allowed"]);
    let eligible: Vec<&str> = parsed_names(&expect["allowed_if_eligible"]);
    for name in &allowed {
        assert!(
            legal.iter().any(|action| name_of(action) == *name),
            "{id}: {name}"
        );
    }
    for name in legal.iter().map(name_of) {
        assert!(
            allowed.contains(&name) || eligible.contains(&name),
            "{id}: {name}"
        );
    }
}

fn parsed_names(names: &Value) -> Vec<&str> {
    let names = names.as_array().into_iter().flatten();
    names.map(|name| name.as_str().unwrap()).collect()
}

/// A match between bots, as far as its third hand.
fn dealt(rules: &Rules, seed: Seed) -> Vec<Event> {
    let (mut game, mut events) = Match::start(rules, seed);
    while let Some(seat) = game.to_act().filter(|_| game.hand_number() < 3) {
        let action = Bot::Simple
            .decide(&game.seat_view(seat).unwrap(), &Thinking::default())
            .unwrap();
        let command = Command::Act { seat, action };
        events.extend(game.apply(&command).unwrap());
    }
    events.retain(|event| matches!(event, Event::HandDealt { .. }));
    events
}

fn seed_replay(case: &Value) {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&parsed::<u64>(&case["input"]["seed"]).to_le_bytes());
    let rules = rules_of_case(case);
    let once = dealt(&rules, Seed::new(bytes));
    assert!(once.len() > 1);
    assert_eq!(once, dealt(&rules, Seed::new(bytes)));
    bytes[31] = 1;
    assert_ne!(once, dealt(&rules, Seed::new(bytes)));
}

fn card_conservation(case: &Value) {
    let mut hand = Hand::deal(&rules_of_case(case), &Seed::new([0; 32]).deck(1), A);
    while let Some(seat) = hand.to_act() {
        assert_each_card_once(&hand);
        let action = Bot::Simple
            .decide(&SeatView::new(&hand, seat), &Thinking::default())
            .unwrap();
        hand.apply(seat, &action).unwrap();
    }
}
