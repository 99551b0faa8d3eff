//! Least deadwood, arrangements, discards and layoffs over the measured hands.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use ginrummy_bench::summary::{self, Row};
use ginrummy_bench::{HAND_FILES, hands, spreads};
use ginrummy_engine::{
    CardSet, best_arrangement, best_defence, best_discard, deadwood, deadwood_after_layoffs,
    price_discards,
};

const ROWS: [Row; 6] = [
    Row {
        group: "deadwood",
        references: &[
            ("r10", Some(4.5)),
            ("r11", Some(5.4)),
            ("l10", Some(12.0)),
            ("l11", Some(17.0)),
            ("d10", Some(14.0)),
            ("d11", Some(20.0)),
        ],
    },
    Row {
        group: "arrangement",
        references: &[
            ("r10", Some(19.0)),
            ("r11", None),
            ("l10", Some(52.0)),
            ("l11", None),
            ("d10", Some(50.0)),
            ("d11", None),
        ],
    },
    Row {
        group: "best discard",
        references: &[
            ("r11", Some(12.0)),
            ("l11", Some(46.0)),
            ("d11", Some(45.0)),
        ],
    },
    Row {
        group: "all eleven discards",
        references: &[
            ("r11", Some(46.0)),
            ("l11", Some(140.0)),
            ("d11", Some(170.0)),
        ],
    },
    Row {
        group: "deadwood after layoffs",
        references: &[("late", Some(73.0))],
    },
    Row {
        group: "whole defence",
        references: &[("late", None)],
    },
];

/// Measures one pass over each of the files with hands of this length, or of any.
fn over_hands<T>(
    criterion: &mut Criterion,
    group: &str,
    len: Option<usize>,
    answer: impl Fn(CardSet) -> T,
) {
    let mut group = criterion.benchmark_group(group);
    for file in HAND_FILES {
        let hands = hands(file);
        if len.is_none_or(|len| hands[0].len() == len) {
            group.throughput(Throughput::Elements(hands.len() as u64));
            group.bench_function(file, |bencher| {
                bencher.iter(|| {
                    for hand in &hands {
                        black_box(answer(*hand));
                    }
                });
            });
        }
    }
    group.finish();
}

fn over_spreads(criterion: &mut Criterion) {
    let spreads = spreads();
    let elements = Throughput::Elements(spreads.len() as u64);
    let mut group = criterion.benchmark_group("deadwood after layoffs");
    group
        .throughput(elements.clone())
        .bench_function("late", |bencher| {
            bencher.iter(|| {
                for (melds, defender) in &spreads {
                    black_box(deadwood_after_layoffs(melds, *defender));
                }
            });
        });
    group.finish();
    let mut group = criterion.benchmark_group("whole defence");
    group
        .throughput(elements)
        .bench_function("late", |bencher| {
            bencher.iter(|| {
                for (melds, defender) in &spreads {
                    black_box(best_defence(melds, *defender));
                }
            });
        });
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    over_hands(&mut criterion, "deadwood", None, deadwood);
    over_hands(&mut criterion, "arrangement", None, best_arrangement);
    over_hands(&mut criterion, "best discard", Some(11), |hand| {
        best_discard(hand, None)
    });
    over_hands(&mut criterion, "all eleven discards", Some(11), |hand| {
        price_discards(hand, None)
    });
    over_spreads(&mut criterion);
    criterion.final_summary();
    summary::print(&ROWS, |bench| {
        if bench == "late" {
            spreads().len()
        } else {
            hands(bench).len()
        }
    });
}
