//! The engine beside its published peers, in one run on the same cards: how many times as fast it is.
//!
//! Least deadwood beside the crate `gin-rummy`, over the six files of measured hands; whole hands of
//! two simple bots beside rounds of `EaaiSimpleBot` from the crate `gin-rummy-engine`. Conversions
//! are made before the clock starts.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkGroup, Criterion, measurement::WallTime};
use gin_rummy::{Player, Round};
use gin_rummy_engine::{EaaiSimpleBot, eaai_rules, play_round};
use ginrummy_bench::{HAND_FILES, decks, hands, play_simple_bots, summary};
use ginrummy_engine::{CardSet, Overrides, Ruleset, deadwood};
use rand::SeedableRng;
use rand::rngs::StdRng;

const OURS: &str = "ginrummy";
const DEADWOOD_PEER: &str = "gin-rummy 0.1.3";
const BOTS_PEER: &str = "gin-rummy-engine 0.3.1";
const BOTS_GROUP: &str = "hand of two simple bots, peers";
const DEALS: u32 = 1_000;

fn deadwood_group(file: &str) -> String {
    format!("deadwood {file}, peers")
}

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

fn least_deadwood(criterion: &mut Criterion) {
    for file in HAND_FILES {
        let ours = hands(file);
        let theirs: Vec<gin_rummy::Hand> = ours.iter().copied().map(peer_hand).collect();
        for (hand, peer) in ours.iter().zip(&theirs) {
            assert_eq!(
                deadwood(*hand),
                u32::from(gin_rummy::deadwood(*peer)),
                "both are exact"
            );
        }
        let mut group = criterion.benchmark_group(deadwood_group(file));
        group.bench_function(OURS, |bencher| {
            bencher.iter(|| ours.iter().for_each(|hand| _ = black_box(deadwood(*hand))));
        });
        group.bench_function(DEADWOOD_PEER, |bencher| {
            bencher.iter(|| {
                for hand in &theirs {
                    black_box(gin_rummy::deadwood(*hand));
                }
            });
        });
        group.finish();
    }
}

fn whole_hands(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group(BOTS_GROUP);
    ours(&mut group);
    theirs(&mut group);
    group.finish();
}

fn ours(group: &mut BenchmarkGroup<'_, WallTime>) {
    // What the peer's bots play: no big gin.
    let short = Ruleset::named("short").expect("a ruleset");
    let no_big_gin = Overrides {
        big_gin: Some(false),
        ..Overrides::default()
    };
    let rules = short.with(no_big_gin).expect("rules that go together");
    let decks = decks(DEALS);
    group.bench_function(OURS, |bencher| {
        bencher.iter(|| -> u32 {
            decks
                .iter()
                .map(|deck| play_simple_bots(&rules, deck))
                .sum()
        });
    });
}

fn theirs(group: &mut BenchmarkGroup<'_, WallTime>) {
    let mut random = StdRng::seed_from_u64(5);
    let rounds: Vec<Round> = (0..DEALS)
        .map(|_| Round::deal(eaai_rules(), Player::One, &mut random))
        .collect();
    group.bench_function(BOTS_PEER, |bencher| {
        bencher.iter(|| {
            for round in &rounds {
                let mut one = EaaiSimpleBot::new(StdRng::seed_from_u64(1));
                let mut two = EaaiSimpleBot::new(StdRng::seed_from_u64(2));
                let result = play_round(round.clone(), [&mut one, &mut two]);
                black_box(result.expect("bots play by the rules"));
            }
        });
    });
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    least_deadwood(&mut criterion);
    whole_hands(&mut criterion);
    criterion.final_summary();
    println!("\ntimes as fast, by the medians (ns each: ours, theirs)");
    for file in HAND_FILES {
        summary::print_ratio(
            &deadwood_group(file),
            OURS,
            DEADWOOD_PEER,
            hands(file).len(),
        );
    }
    summary::print_ratio(BOTS_GROUP, OURS, BOTS_PEER, DEALS as usize);
}
