//! Whole hands of two simple bots through `Hand::apply` and `SeatView`, as the service plays them.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use ginrummy_bench::summary::{self, Row};
use ginrummy_engine::{Bot, Deck, Hand, Rules, Ruleset, Seat, SeatView, Seed};

const HANDS: u32 = 2_000;

const ROWS: [Row; 2] = [
    Row {
        group: "hand of two simple bots",
        references: &[("short", None)],
    },
    Row {
        group: "deck",
        references: &[("by seed", None)],
    },
];

fn play(rules: &Rules, deck: &Deck) -> u32 {
    let mut hand = Hand::deal(rules, deck, Seat::One);
    while let Some(seat) = hand.to_act() {
        let action = Bot::Simple
            .decide(&SeatView::new(&hand, seat))
            .expect("it is its turn");
        hand.apply(seat, &action).expect("bots play by the rules");
    }
    hand.result().map_or(0, |result| result.points)
}

fn main() {
    let rules = Ruleset::named("short").expect("a ruleset").rules;
    let seed = Seed::new([5; 32]);
    let decks: Vec<Deck> = (1..=HANDS).map(|number| seed.deck(number)).collect();
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("hand of two simple bots");
    group.throughput(Throughput::Elements(u64::from(HANDS)));
    group.bench_function("short", |bencher| {
        bencher.iter(|| {
            decks
                .iter()
                .map(|deck| play(&rules, black_box(deck)))
                .sum::<u32>()
        });
    });
    group.finish();
    let mut group = criterion.benchmark_group("deck");
    group.bench_function("by seed", |bencher| {
        bencher.iter(|| black_box(&seed).deck(black_box(1)));
    });
    group.finish();
    criterion.final_summary();
    summary::print(
        &ROWS,
        |bench| if bench == "short" { HANDS as usize } else { 1 },
    );
}
