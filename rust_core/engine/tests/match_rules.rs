//! The rules of a match: dealers, time-outs, endings, and what late viewers are shown.

use ginrummy_engine::{
    Action, Bot, Card, Command, DealerRule, EndReason, Event, Match, Overrides, Pile, PileView,
    Ruleset, Seat, Seed, Thinking, Viewer, Violation, next_dealer, replayed_to,
};

const A: Seat = Seat::One;
const B: Seat = Seat::Two;

fn start(ruleset: &str, overrides: Overrides, seed: u8) -> (Match, Vec<Event>) {
    let rules = Ruleset::named(ruleset).unwrap().with(overrides).unwrap();
    Match::start(&rules, Seed::new([seed; 32]))
}

/// Two simple bots play on until the match is over or `stop` says so.
fn play_on(game: &mut Match, events: &mut Vec<Event>, stop: impl Fn(&Match) -> bool) {
    while let Some(seat) = game.to_act().filter(|_| !stop(game)) {
        let action = Bot::Simple
            .decide(&game.seat_view(seat).unwrap(), &Thinking::default())
            .unwrap();
        events.extend(game.apply(&Command::Act { seat, action }).unwrap());
    }
}

#[test]
fn two_simple_bots_play_every_ruleset_to_its_end() {
    for ruleset in Ruleset::ALL {
        for seed in 0..20 {
            let (mut game, mut events) = start(ruleset.name, Overrides::default(), seed);
            play_on(&mut game, &mut events, |_| false);
            let result = game.result().unwrap();
            assert_eq!(result.reason, EndReason::TargetReached);
            assert!(matches!(events.last(), Some(Event::MatchEnded(_))));
        }
    }
}

#[test]
fn the_dealer_rule_decides_after_a_scored_hand_and_a_dead_one_keeps_the_dealer() {
    for (rule, after_a_won) in [
        (DealerRule::Alternate, B),
        (DealerRule::Winner, A),
        (DealerRule::Loser, B),
    ] {
        assert_eq!(next_dealer(rule, A, Some(A)), after_a_won);
        assert_eq!(next_dealer(rule, A, None), A);
    }
    assert_eq!(next_dealer(DealerRule::Alternate, B, Some(B)), A);
}

#[test]
fn a_replayed_seed_deals_the_same_decks_whatever_is_played() {
    let (mut bots, _) = start("short", Overrides::default(), 9);
    play_on(&mut bots, &mut Vec::new(), |game| game.hand_number() == 2);
    let (mut idle, _) = start("short", Overrides::default(), 9);
    while idle.hand_number() == 1 {
        // The dealer never moves by himself; the other seat plays.
        let seat = idle.to_act().unwrap();
        if seat == idle.hand().dealer() {
            idle.apply(&Command::TimeOut {
                timeouts_to_forfeit: 0,
            })
            .unwrap();
        } else {
            let action = Bot::Simple
                .decide(&idle.seat_view(seat).unwrap(), &Thinking::default())
                .unwrap();
            idle.apply(&Command::Act { seat, action }).unwrap();
        }
    }
    let cards = |game: &Match| {
        let dealer = game.hand().dealer();
        [
            game.hand().cards(dealer),
            game.hand().cards(dealer.opponent()),
        ]
    };
    assert_eq!(cards(&bots), cards(&idle));
}

#[test]
fn resigning_gives_the_match_away_without_end_bonuses() {
    let (mut game, _) = start("short", Overrides::default(), 1);
    let events = game.apply(&Command::Resign { seat: A }).unwrap();
    let result = game.result().unwrap();
    assert_eq!(
        (result.winner, result.reason),
        (Some(B), EndReason::Resigned)
    );
    assert_eq!(result.sheets.clone().map(|sheet| sheet.total), [0, 0]);
    assert_eq!(events.len(), 1);
    let late = game.apply(&Command::Act {
        seat: B,
        action: Action::Pass,
    });
    assert_eq!(late, Err(Violation::MatchOver));
    assert_eq!(game.view(Viewer::Seat(B), true).hand.legal_actions, []);
}

#[test]
fn n_time_outs_in_a_row_forfeit_and_an_action_starts_the_count_anew() {
    let (mut game, _) = start("playgridia", Overrides::default(), 1);
    let time_out = Command::TimeOut {
        timeouts_to_forfeit: 2,
    };
    let slow = game.to_act().unwrap();
    let play = |game: &mut Match, seat: Seat| {
        while game.to_act() == Some(seat) {
            let action = Bot::Simple
                .decide(&game.seat_view(seat).unwrap(), &Thinking::default())
                .unwrap();
            game.apply(&Command::Act { seat, action }).unwrap();
        }
    };
    game.apply(&time_out).unwrap();
    play(&mut game, slow.opponent());
    play(&mut game, slow);
    play(&mut game, slow.opponent());
    game.apply(&time_out).unwrap();
    assert!(game.result().is_none());
    play(&mut game, slow.opponent());
    game.apply(&time_out).unwrap();
    let result = game.result().unwrap();
    assert_eq!(
        (result.winner, result.reason),
        (Some(slow.opponent()), EndReason::ClockExpired)
    );
}

#[test]
fn three_time_outs_in_a_row_of_both_seats_abort_the_match() {
    let (mut game, _) = start("playgridia", Overrides::default(), 1);
    for n in 1..=6 {
        assert!(game.result().is_none(), "after {n}");
        game.apply(&Command::TimeOut {
            timeouts_to_forfeit: 0,
        })
        .unwrap();
    }
    let result = game.result().unwrap();
    assert_eq!((result.winner, result.reason), (None, EndReason::Aborted));
}

#[test]
fn the_seed_is_opened_with_the_end_and_not_before() {
    let (mut game, mut events) = start("short", Overrides::default(), 171);
    play_on(&mut game, &mut events, |_| false);
    let seed = "ab".repeat(32);
    let shown = |event: &Event| serde_json::to_string(event).unwrap().contains(&seed);
    let (last, before) = events.split_last().unwrap();
    assert!(shown(last));
    assert!(!before.iter().any(shown));
}

#[test]
fn a_late_viewer_of_a_top_only_pile_sees_no_older_discards() {
    let (mut game, mut events) = start("playgridia", Overrides::default(), 5);
    play_on(&mut game, &mut events, |game| {
        game.hand().discard_pile().len() > 4
    });
    let top = *game.hand().discard_pile().last().unwrap();
    let seen = |viewer, pile_view| replayed_to(viewer, &events, pile_view, false);
    let faces = |events: &[Event], of: Option<Seat>| -> Vec<Card> {
        let face = |event: &Event| match event {
            Event::HandDealt { upcard, .. } if of.is_none() => *upcard,
            Event::CardDiscarded { seat, card } if of == Some(*seat) => *card,
            _ => None,
        };
        events.iter().filter_map(face).collect()
    };
    let late = seen(Viewer::Seat(A), PileView::TopOnly);
    let live = seen(Viewer::Seat(A), PileView::All);
    assert_eq!(late.len(), events.len());
    assert_eq!(
        faces(&late, Some(A)),
        faces(&live, Some(A)),
        "his own discards stay"
    );
    assert!(faces(&live, Some(B)).len() > 1);
    assert!(faces(&late, Some(B)).len() <= 1);
    assert_eq!(faces(&late, None), []);
    let spectator = seen(Viewer::Spectator, PileView::TopOnly);
    let shown = [faces(&spectator, Some(A)), faces(&spectator, Some(B))].concat();
    assert!(shown.iter().all(|card| *card == top), "{shown:?} {top}");
}

#[test]
fn after_the_hand_a_late_viewer_sees_the_whole_of_it() {
    let (mut game, mut events) = start("playgridia", Overrides::default(), 5);
    play_on(&mut game, &mut events, |_| false);
    let late = replayed_to(Viewer::Spectator, &events, PileView::TopOnly, false);
    let faceless = |event: &Event| matches!(event, Event::CardDiscarded { card: None, .. });
    assert!(!late.iter().any(faceless));
}

#[test]
fn a_spectator_is_shown_the_latest_action_of_either_seat_without_its_hidden_card() {
    let (mut game, _) = start("playgridia", Overrides::default(), 2);
    let seat = game.to_act().unwrap();
    let last = |game: &Match| game.view(Viewer::Spectator, true).hand.last_action;
    assert_eq!(last(&game), None);
    let draw = Action::Draw { pile: Pile::Stock };
    game.apply(&Command::Act { seat, action: draw }).unwrap();
    let drawn = Event::CardDrawn {
        seat,
        pile: Pile::Stock,
        card: None,
    };
    assert_eq!(last(&game), Some(drawn));
    let action = Bot::Simple
        .decide(&game.seat_view(seat).unwrap(), &Thinking::default())
        .unwrap();
    game.apply(&Command::Act { seat, action }).unwrap();
    assert!(matches!(last(&game), Some(Event::CardDiscarded { .. })));
}

#[test]
fn after_the_match_nobody_acts_and_the_knock_card_lies_open() {
    for seed in 0..20 {
        let (mut game, mut events) = start("kawu", Overrides::default(), seed);
        play_on(&mut game, &mut events, |_| false);
        let pile = game.hand().discard_pile().to_vec();
        for viewer in [Viewer::Seat(A), Viewer::Seat(B), Viewer::Spectator] {
            assert_eq!(game.view(viewer, true).hand.discard_pile, pile);
        }
    }
    let (mut game, _) = start("solo", Overrides::default(), 1);
    let seat = game.to_act().unwrap();
    let draw = Action::Draw {
        pile: Pile::Discard,
    };
    game.apply(&Command::Act { seat, action: draw }).unwrap();
    game.apply(&Command::Resign { seat }).unwrap();
    let view = game.view(Viewer::Seat(seat), true).hand;
    assert_eq!(
        (view.last_drawn, view.barred_discard, view.to_act),
        (None, None, None)
    );
    assert!(game.seat_view(seat).is_none());
}

#[test]
fn a_draw_alone_does_not_end_a_row_of_time_outs() {
    let (mut game, _) = start("playgridia", Overrides::default(), 1);
    let slow = game.to_act().unwrap();
    let draw = Action::Draw { pile: Pile::Stock };
    let mut timed_out = Vec::new();
    while game.result().is_none() {
        let seat = game.to_act().unwrap();
        if seat == slow {
            let action = draw.clone();
            game.apply(&Command::Act { seat, action }).unwrap();
            let events = game
                .apply(&Command::TimeOut {
                    timeouts_to_forfeit: 3,
                })
                .unwrap();
            timed_out.extend(events.into_iter().filter_map(|event| match event {
                Event::TimedOut { timeouts, .. } => Some(timeouts),
                _ => None,
            }));
        } else {
            let action = Bot::Simple
                .decide(&game.seat_view(seat).unwrap(), &Thinking::default())
                .unwrap();
            game.apply(&Command::Act { seat, action }).unwrap();
        }
    }
    assert_eq!(timed_out, [1, 2, 3]);
    assert_eq!(game.result().unwrap().reason, EndReason::ClockExpired);
}

#[test]
fn given_decks_are_dealt_first_and_the_seed_deals_the_rest() {
    let rules = Ruleset::named("solo").unwrap().rules;
    let seed = Seed::new([1; 32]);
    let decks = [Seed::new([2; 32]).deck(1), Seed::new([3; 32]).deck(1)];
    let (mut game, mut events) = Match::start_from_decks(&rules, &decks, A, seed).unwrap();
    assert_eq!(game.hand().dealer(), A);
    play_on(&mut game, &mut events, |game| game.hand_number() > 3);
    let upcards: Vec<Card> = events
        .iter()
        .filter_map(|event| match event {
            Event::HandDealt { upcard, .. } => *upcard,
            _ => None,
        })
        .take(3)
        .collect();
    assert_eq!(upcards, [decks[0][20], decks[1][20], seed.deck(3)[20]]);
}

#[test]
fn a_given_deck_holds_each_card_once() {
    let rules = Ruleset::named("solo").unwrap().rules;
    let mut doubled = Card::DECK;
    doubled[51] = doubled[0];
    let decks = [Card::DECK, doubled];
    let refused = Match::start_from_decks(&rules, &decks, A, Seed::new([0; 32])).unwrap_err();
    assert_eq!((refused.hand_number, refused.card), (2, doubled[0]));
}
