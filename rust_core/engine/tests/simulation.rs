//! Matches between bots: counted again by hand, and in any parts.

use std::collections::BTreeMap;

use ginrummy_engine::{
    Bot, Command, Deals, Event, HandEnds, Match, Outcome, Overrides, Pairing, Rules, Ruleset, Seat,
    Seed, Tally, Thinking,
};

fn pairing(rules: Rules, deals: Deals) -> Pairing {
    Pairing {
        rules,
        bots: [Bot::Simple, Bot::Heuristic],
        deals,
        seed: Seed::new([9; 32]),
        number: 2,
    }
}

fn rulesets() -> Vec<Rules> {
    let odd = Overrides {
        undercut_on_tie: Some(false),
        hollywood: Some(true),
        ..Overrides::default()
    };
    let odd = Ruleset::named("kawu").unwrap().with(odd).unwrap();
    let plain = Ruleset::ALL.into_iter().map(|ruleset| ruleset.rules);
    plain.chain([odd]).collect()
}

fn play(pairing: &Pairing, deals: impl IntoIterator<Item = u64>) -> Tally {
    let mut tally = Tally::default();
    for deal in deals {
        tally.add(&pairing.play(deal, &|| false).unwrap());
    }
    tally
}

/// All events of one match, with the first bot in this seat.
fn events(pairing: &Pairing, deal: u64, first_seat: Seat) -> Vec<Event> {
    let (mut game, mut events) = Match::start(&pairing.rules, pairing.deal_seed(deal));
    let mut number = 0;
    while let Some(seat) = game.to_act() {
        let bot = pairing.bots[usize::from(seat != first_seat)];
        let thinking = Thinking {
            seed: pairing.thinking_seed(deal, number),
            ..Thinking::default()
        };
        number += 1;
        let action = bot
            .decide(&game.seat_view(seat).unwrap(), &thinking)
            .unwrap();
        events.extend(game.apply(&Command::Act { seat, action }).unwrap());
    }
    events
}

/// The tally of one deal from the events of its matches.
fn counted(pairing: &Pairing, deal: u64) -> Tally {
    let mut tally = Tally {
        deals: 1,
        ..Tally::default()
    };
    let seats: &[Seat] = match pairing.deals {
        Deals::Duplicate => &[Seat::One, Seat::Two],
        Deals::Single => &[Seat::One],
    };
    let (mut wins, mut total, mut points) = (0i128, 0i128, 0i128);
    for seat in seats {
        for event in events(pairing, deal, *seat) {
            match event {
                Event::HandScored(scored) => {
                    let result = scored.result;
                    let mut difference = i64::from(result.points);
                    if result.winner == Some(seat.opponent()) {
                        difference = -difference;
                    }
                    points += i128::from(difference);
                    *tally.hand_points.entry(difference).or_insert(0) += 1;
                    tally.hands += 1;
                    let side = usize::from(result.winner != Some(*seat));
                    let ends: &mut HandEnds = &mut tally.ends[side];
                    match result.outcome {
                        Outcome::Knock => ends.knocks += 1,
                        Outcome::Gin => ends.gins += 1,
                        Outcome::BigGin => ends.big_gins += 1,
                        Outcome::Undercut => ends.undercuts += 1,
                        Outcome::Dead => tally.dead_hands += 1,
                        Outcome::Tie => tally.tied_hands += 1,
                    }
                }
                Event::MatchEnded(result) => {
                    tally.matches += 1;
                    let has_won = result.winner == Some(*seat);
                    tally.wins[usize::from(!has_won)] += 1;
                    wins += if has_won { 1 } else { -1 };
                    let own = result.sheets[seat.index()].total;
                    let other = result.sheets[1 - seat.index()].total;
                    tally.totals[0] += u64::from(own);
                    tally.totals[1] += u64::from(other);
                    total += i128::from(own) - i128::from(other);
                }
                _ => {}
            }
        }
    }
    let hands = i128::from(tally.hands);
    tally.win_squares = (wins * wins).unsigned_abs();
    tally.total_squares = (total * total).unsigned_abs();
    tally.point_squares = (points * points).unsigned_abs();
    tally.hand_squares = (hands * hands).unsigned_abs();
    tally.points_times_hands = points * hands;
    tally
}

#[test]
fn a_tally_is_what_the_events_of_its_matches_say() {
    for rules in rulesets() {
        for deals in [Deals::Duplicate, Deals::Single] {
            let pairing = pairing(rules, deals);
            for deal in [0, 1, 2, 3, u64::from(u32::MAX) + 5] {
                assert_eq!(pairing.play(deal, &|| false), Some(counted(&pairing, deal)));
            }
        }
    }
}

#[test]
fn parts_in_any_order_make_the_same_whole() {
    let pairing = pairing(Ruleset::named("short").unwrap().rules, Deals::Duplicate);
    let whole = play(&pairing, 0..60);
    assert_eq!((whole.deals, whole.matches), (60, 120));
    for parts in [[0..60, 60..60, 60..60], [40..60, 0..7, 7..40]] {
        let mut sum = Tally::default();
        for part in parts {
            sum.add(&play(&pairing, part));
        }
        assert_eq!(sum, whole);
    }
}

#[test]
fn the_same_bot_twice_is_level_in_duplicate_deals() {
    let rules = Ruleset::named("short").unwrap().rules;
    let pairing = Pairing {
        bots: [Bot::Simple; 2],
        ..pairing(rules, Deals::Duplicate)
    };
    let tally = play(&pairing, 0..50);
    assert_eq!(tally.wins, [50, 50]);
    assert_eq!(tally.totals[0], tally.totals[1]);
    assert_eq!(tally.ends[0], tally.ends[1]);
    assert_eq!((tally.win_squares, tally.total_squares), (0, 0));
    let mirrored: BTreeMap<i64, u64> = tally.hand_points.iter().map(|(p, n)| (-p, *n)).collect();
    assert_eq!(mirrored, tally.hand_points);
}

#[test]
fn deals_differ_by_seed_pairing_and_number_and_not_by_rules_and_bots() {
    let rules = Ruleset::named("short").unwrap().rules;
    let base = pairing(rules, Deals::Duplicate);
    let other_seed = Pairing {
        seed: Seed::new([8; 32]),
        ..base.clone()
    };
    let other_number = Pairing {
        number: 3,
        ..base.clone()
    };
    assert!(base.deal_seed(0) != base.deal_seed(1));
    assert!(base.deal_seed(0) != other_seed.deal_seed(0));
    assert!(base.deal_seed(0) != other_number.deal_seed(0));
    let other_game = Pairing {
        rules: Ruleset::named("kawu").unwrap().rules,
        bots: [Bot::Simple; 2],
        deals: Deals::Single,
        ..base.clone()
    };
    assert!(base.deal_seed(7) == other_game.deal_seed(7));
}

#[test]
fn a_tally_reads_back_from_its_text() {
    let pairing = pairing(Ruleset::named("short").unwrap().rules, Deals::Single);
    let mut tally = play(&pairing, 0..20);
    tally.total_squares += u128::from(u64::MAX);
    tally.points_times_hands -= i128::from(u64::MAX);
    let text = serde_json::to_string(&tally).unwrap();
    assert_eq!(serde_json::from_str::<Tally>(&text).unwrap(), tally);
}

#[test]
fn bots_that_think_come_to_the_same_again() {
    let pairing = Pairing {
        bots: [Bot::Hard, Bot::Simple],
        ..pairing(
            Ruleset::named("playgridia").unwrap().rules,
            Deals::Duplicate,
        )
    };
    let tally = play(&pairing, 0..3);
    assert_eq!(play(&pairing, [2, 0, 1]), tally);
    assert_eq!(tally.matches, 6);
    assert_ne!(pairing.thinking_seed(0, 0), pairing.thinking_seed(1, 0));
    assert_ne!(pairing.thinking_seed(0, 0), pairing.thinking_seed(0, 1));
}
