//! The published cases and the measured hands, for melds, discards and layoffs.

use std::path::PathBuf;

use ginrummy_engine::{
    CardSet, Meld, best_arrangement, best_defence, best_discard, deadwood, deadwood_after_layoffs,
    price_discards,
};
use serde_json::Value;

fn read(file: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/data")
        .join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn cases(kind: &str) -> Vec<Value> {
    let text = read("cases/cases.jsonl");
    let cases = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    cases.filter(|case| case["kind"] == kind).collect()
}

fn parsed<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

fn mask(hex: &str) -> CardSet {
    CardSet::from_mask(u64::from_str_radix(hex, 16).unwrap()).unwrap()
}

#[test]
fn partition_cases_have_their_deadwood_and_best_discards() {
    let cases = cases("partition");
    assert_eq!(cases.len(), 75);
    for case in cases {
        let (input, expect, id) = (&case["input"], &case["expect"], &case["id"]);
        let hand: CardSet = parsed(&input["cards"]);
        let barred = parsed(&input["taken_from_discard"]);
        let points: u32 = parsed(&expect["deadwood"]);
        assert_eq!(deadwood(hand), points, "{id}");
        assert_eq!(best_arrangement(hand).deadwood_points, points, "{id}");
        if hand.len() == 11 {
            let least: u32 = parsed(&expect["best_discard_deadwood"]);
            let best: CardSet = parsed(&expect["best_discards"]);
            let prices = price_discards(hand, barred);
            let cheapest = prices.iter().filter(|price| price.deadwood_points == least);
            assert_eq!(
                cheapest.map(|price| price.card).collect::<CardSet>(),
                best,
                "{id}"
            );
            let chosen = best_discard(hand, barred);
            assert_eq!(
                (best.contains(chosen.card), chosen.deadwood_points),
                (true, least),
                "{id}"
            );
        }
    }
}

#[test]
fn layoff_cases_end_with_their_deadwood_and_fewest_layoffs() {
    let cases = cases("layoff");
    assert_eq!(cases.len(), 55);
    for case in cases {
        let (input, expect, id) = (&case["input"], &case["expect"], &case["id"]);
        let melds: Vec<Meld> = parsed(&input["knocker_melds"]);
        let defender: CardSet = parsed(&input["defender"]);
        let points: u32 = parsed(&expect["defender_deadwood"]);
        assert_eq!(deadwood_after_layoffs(&melds, defender), points, "{id}");
        let defence = best_defence(&melds, defender);
        assert_eq!(defence.arrangement.deadwood_points, points, "{id}");
        assert_eq!(
            defence.layoffs.len(),
            parsed::<usize>(&expect["laid_off_count_min"]),
            "{id}"
        );
    }
}

#[test]
fn measured_hands_have_their_deadwood() {
    for kind in ["r10", "r11", "l10", "l11", "d10", "d11"] {
        let text = read(&format!("bench/hands_{kind}.txt"));
        assert_eq!(text.lines().count(), 10_000, "{kind}");
        for line in text.lines() {
            let (cards, points) = line.split_once(' ').unwrap();
            let (hand, points) = (mask(cards), points.parse::<u32>().unwrap());
            assert_eq!(deadwood(hand), points, "{kind}: {hand}");
            assert_eq!(
                best_arrangement(hand).deadwood_points,
                points,
                "{kind}: {hand}"
            );
            if hand.len() == 11 {
                assert_discards_are_priced_by_what_they_leave(hand);
            }
        }
    }
}

fn assert_discards_are_priced_by_what_they_leave(hand: CardSet) {
    let prices = price_discards(hand, None);
    for price in &prices {
        assert_eq!(
            price.deadwood_points,
            deadwood(hand.without(price.card)),
            "{hand}"
        );
    }
    let key = |card: ginrummy_engine::Card| (card.rank(), card.suit());
    let best = prices.into_iter().min_by(|a, b| {
        a.deadwood_points
            .cmp(&b.deadwood_points)
            .then(key(b.card).cmp(&key(a.card)))
    });
    assert_eq!(Some(best_discard(hand, None)), best, "{hand}");
}

#[test]
fn measured_spreads_end_with_their_deadwood_and_fewest_layoffs() {
    let text = read("bench/layoffs.txt");
    assert_eq!(text.lines().count(), 4_000);
    for line in text.lines() {
        let [melds, defender, points, layoffs] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let melds: Vec<Meld> = melds
            .split('|')
            .map(|cards| Meld::try_from(mask(cards)).unwrap())
            .collect();
        let points: u32 = points.parse().unwrap();
        assert_eq!(
            deadwood_after_layoffs(&melds, mask(defender)),
            points,
            "{line}"
        );
        let defence = best_defence(&melds, mask(defender));
        assert_eq!(defence.arrangement.deadwood_points, points, "{line}");
        assert_eq!(
            defence.layoffs.len(),
            layoffs.parse::<usize>().unwrap(),
            "{line}"
        );
    }
}
