//! Whole hands of two simple bots through `Hand::apply` and `SeatView`, as the service plays them.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use ginrummy_bench::summary::{self, Row};
use ginrummy_bench::{decks, play_simple_bots};
use ginrummy_engine::{Ruleset, Seed};

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

fn main() {
    let rules = Ruleset::named("short").expect("a ruleset").rules;
    let seed = Seed::new([5; 32]);
    let decks = decks(HANDS);
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("hand of two simple bots");
    group.throughput(Throughput::Elements(u64::from(HANDS)));
    group.bench_function("short", |bencher| {
        bencher.iter(|| {
            decks
                .iter()
                .map(|deck| play_simple_bots(&rules, black_box(deck)))
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
