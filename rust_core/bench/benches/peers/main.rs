//! The engine beside its published peers, in one run on the same cards: how many times as fast it is.
//!
//! Least deadwood beside the crate `gin-rummy`, over the six files of measured hands; whole hands of
//! two simple bots beside rounds of `EaaiSimpleBot` from the crate `gin-rummy-engine`. Conversions
//! are made before the clock starts, which counts processor time of this thread alone.

mod interleaved;

use std::hint::black_box;

use gin_rummy::{Player, Round};
use gin_rummy_engine::{EaaiSimpleBot, eaai_rules, play_round};
use ginrummy_bench::{HAND_FILES, decks, hands, play_simple_bots};
use ginrummy_engine::{CardSet, Overrides, Ruleset, deadwood};
use rand::SeedableRng;
use rand::rngs::StdRng;

use interleaved::{Comparison, compare};

/// So many that the processor does not learn their branches.
const DEALS: u32 = 1_000;

/// The hand in the peer's words: suits parted by dots, clubs first.
fn peer_hand(hand: CardSet) -> gin_rummy::Hand {
    const RANKS: [char; 13] = [
        'A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K',
    ];
    let suit = |suit: usize| -> String {
        let holds = |rank: &usize| hand.mask() >> (suit * 13 + rank) & 1 == 1;
        (0..13).filter(holds).map(|rank| RANKS[rank]).collect()
    };
    let text: Vec<String> = (0..4).map(suit).collect();
    text.join(".").parse().expect("a hand in the peer's words")
}

fn least_deadwood(file: &str) -> Comparison {
    let ours = hands(file);
    let theirs: Vec<gin_rummy::Hand> = ours.iter().copied().map(peer_hand).collect();
    for (hand, peer) in ours.iter().zip(&theirs) {
        let points = u32::from(gin_rummy::deadwood(*peer));
        assert_eq!(deadwood(*hand), points, "both are exact");
    }
    compare(
        ours.len(),
        || ours.iter().for_each(|hand| _ = black_box(deadwood(*hand))),
        || {
            for hand in &theirs {
                black_box(gin_rummy::deadwood(*hand));
            }
        },
    )
}

fn whole_hands() -> Comparison {
    // What the peer's bots play: no big gin.
    let short = Ruleset::named("short").expect("a ruleset");
    let no_big_gin = Overrides {
        big_gin: Some(false),
        ..Overrides::default()
    };
    let rules = short.with(no_big_gin).expect("rules that go together");
    let decks = decks(DEALS);
    let mut random = StdRng::seed_from_u64(5);
    let rounds: Vec<Round> = (0..DEALS)
        .map(|_| Round::deal(eaai_rules(), Player::One, &mut random))
        .collect();
    compare(
        decks.len(),
        || {
            for deck in &decks {
                black_box(play_simple_bots(&rules, deck));
            }
        },
        || {
            for round in &rounds {
                let mut one = EaaiSimpleBot::new(StdRng::seed_from_u64(1));
                let mut two = EaaiSimpleBot::new(StdRng::seed_from_u64(2));
                let result = play_round(round.clone(), [&mut one, &mut two]);
                black_box(result.expect("bots play by the rules"));
            }
        },
    )
}

fn main() {
    // Words are what to measure, as with criterion; its options are of no use here.
    let words: Vec<String> = std::env::args().skip(1).collect();
    let all = words.iter().all(|word| word.starts_with('-'));
    if !all && !words.iter().any(|word| word.contains("peers")) {
        return;
    }
    println!("beside gin-rummy 0.1.3:");
    for file in HAND_FILES {
        println!("least deadwood, {file:<22} {}", least_deadwood(file));
    }
    println!("beside gin-rummy-engine 0.3.1:");
    println!("{:<39} {}", "whole hand of two simple bots", whole_hands());
}
