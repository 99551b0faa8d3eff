//! The interval of a share, beside figures worked out by hand and simulated runs.

use ginrummy_bench::arena::interval::share_of_pairs;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

fn assert_near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 5e-4,
        "{found} instead of {expected}"
    );
}

#[test]
fn pairs_without_correlation_count_as_their_games() {
    // 250, 500, 250 of 1,000 pairs: as 2,000 independent games, half of them won.
    let share = share_of_pairs([250, 500, 250]);
    assert_near(share.share, 0.5);
    assert_near(share.low, 0.4781);
    assert_near(share.high, 0.5219);
}

#[test]
fn pairs_that_are_won_or_lost_whole_count_as_one_game_each() {
    // Wilson's interval of 700 of 1,000, as in any table.
    let share = share_of_pairs([300, 0, 700]);
    assert_near(share.share, 0.7);
    assert_near(share.low, 0.6709);
    assert_near(share.high, 0.7276);
}

#[test]
fn pairs_that_are_shared_often_say_more_than_their_games() {
    let [often, rarely] = [[50, 900, 50], [250, 500, 250]].map(share_of_pairs);
    assert!(often.high - often.low < rarely.high - rarely.low);
}

#[test]
fn few_pairs_or_pairs_that_are_all_alike_never_give_certainty() {
    for pairs in [[0, 0, 1], [0, 1, 0], [0, 0, 100], [0, 100, 0], [1, 0, 28]] {
        let share = share_of_pairs(pairs);
        assert!(share.high - share.low > 0.03, "{pairs:?}: {share:?}");
        assert!(share.low >= 0.0 && share.high <= 1.0, "{share:?}");
    }
    assert_near(share_of_pairs([0, 0, 0]).low, 0.0);
}

#[test]
fn nineteen_intervals_of_twenty_hold_the_truth_however_games_of_a_pair_hang_together() {
    let mut random = StdRng::seed_from_u64(3);
    for (truth, together) in [(0.5, 0.0), (0.75, 0.0), (0.75, 0.4), (0.55, 1.0)] {
        let runs = 2_000;
        let held = (0..runs).filter(|_| {
            let mut pairs = [0; 3];
            for _ in 0..400 {
                let first = random.random_bool(truth);
                let second = if random.random_bool(together) {
                    first
                } else {
                    random.random_bool(truth)
                };
                pairs[usize::from(first) + usize::from(second)] += 1;
            }
            let share = share_of_pairs(pairs);
            (share.low..=share.high).contains(&truth)
        });
        let held = f64::from(u32::try_from(held.count()).unwrap()) / f64::from(runs);
        assert!(
            (0.935..0.965).contains(&held),
            "{held} at {truth}, {together}"
        );
    }
}
