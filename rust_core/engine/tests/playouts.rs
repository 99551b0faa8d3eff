//! Random whole hands and matches, under every ruleset and random options.

mod dice;

use std::collections::HashSet;

use dice::{Dice, Step};
use ginrummy_engine::{
    Action, Card, CardSet, Command, Event, Hand, HandEvents, HandView, Match, MeldChoice, Phase,
    Pile, Seat, Seed, Viewer, Violation, best_arrangement,
};

const VIEWERS: [Viewer; 3] = [
    Viewer::Spectator,
    Viewer::Seat(Seat::One),
    Viewer::Seat(Seat::Two),
];

/// Far more than a hand can take: 29 cards are drawn from the stock, and a pile card that is taken
/// is replaced by another.
const MANY_STEPS: usize = 2_000;

fn play(hand: &mut Hand, step: &Step) -> HandEvents {
    match step {
        Step::Act(seat, action) => hand
            .apply(*seat, action)
            .unwrap_or_else(|violation| panic!("{action:?}: {violation}")),
        Step::TimeOut => hand.time_out(),
    }
}

/// Plays random hands, looking at each before every step and once more at its end.
fn for_each_step(hands: u64, mut look: impl FnMut(&mut Dice, &Hand)) {
    for number in 0..hands {
        let mut dice = Dice::new(number);
        let (rules, deck, dealer) = (dice.rules(), dice.deck(), dice.seat());
        let mut hand = Hand::deal(&rules, &deck, dealer);
        let mut steps = 0;
        while hand.phase() != Phase::Over {
            look(&mut dice, &hand);
            let step = dice.step(&hand);
            play(&mut hand, &step);
            steps += 1;
            assert!(steps < MANY_STEPS, "hand {number} does not end");
        }
        look(&mut dice, &hand);
        assert!(hand.result().is_some() && hand.to_act().is_none());
    }
}

#[test]
fn each_card_is_in_one_place_after_every_action() {
    for_each_step(1_500, |_, hand| {
        let mut places: Vec<Card> = hand.discard_pile().to_vec();
        places.extend(Seat::BOTH.into_iter().flat_map(|seat| hand.cards(seat)));
        if let Some(position) = hand.position() {
            assert_eq!(position.stock.len(), hand.stock_len());
            places.extend(position.stock);
            assert_eq!(places.iter().copied().collect::<CardSet>(), CardSet::ALL);
            assert_eq!(places.len(), 52);
        } else {
            // The stock of a hand that is over is nobody's to see.
            assert_eq!(
                places.iter().copied().collect::<CardSet>().len(),
                places.len()
            );
            assert_eq!(places.len() + hand.stock_len(), 52);
        }
    });
}

#[test]
fn a_refused_action_changes_nothing() {
    let mut refused = 0;
    for_each_step(1_500, |dice, hand| {
        let mut tried = hand.clone();
        let (seat, action) = (dice.seat(), dice.wild_action(hand));
        if tried.apply(seat, &action).is_err() {
            assert_eq!(tried, *hand, "{action:?}");
            refused += 1;
        }
    });
    assert!(refused > 10_000, "{refused}");
}

/// Every draw, pass, discard, knock and big gin, with groups where the rules ask for them.
fn candidates(hand: &Hand, seat: Seat) -> Vec<Action> {
    let groups = |cards: CardSet| match hand.rules().knocker_melds {
        MeldChoice::Declared if cards.len() <= 11 => {
            let melds = best_arrangement(cards).melds;
            melds.iter().map(|meld| meld.cards()).collect()
        }
        _ => Vec::new(),
    };
    let own = hand.cards(seat);
    let mut all = vec![
        Action::Pass,
        Action::Draw { pile: Pile::Stock },
        Action::Draw {
            pile: Pile::Discard,
        },
        Action::BigGin { melds: groups(own) },
    ];
    for card in Card::all() {
        all.push(Action::Discard { card });
        all.push(Action::Knock {
            discard: card,
            melds: groups(own.without(card)),
        });
    }
    all
}

#[test]
fn the_actions_listed_are_exactly_those_accepted() {
    for_each_step(300, |_, hand| {
        for seat in Seat::BOTH {
            let listed = hand.legal_actions(seat);
            assert_eq!(listed.is_empty(), hand.to_act() != Some(seat));
            for action in candidates(hand, seat) {
                let accepted = hand.clone().apply(seat, &action).is_ok();
                assert_eq!(listed.contains(&action), accepted, "{action:?} by {seat:?}");
            }
            for action in listed {
                let accepted = hand.clone().apply(seat, &action);
                assert!(accepted.is_ok(), "{action:?} by {seat:?}: {accepted:?}");
            }
        }
    });
}

#[test]
fn discard_options_tell_what_a_discard_leaves_and_which_knocks_are_legal() {
    for_each_step(500, |_, hand| {
        let Some(seat) = hand.to_act() else {
            return;
        };
        let Some(options) = hand.discard_options(seat, true) else {
            assert_ne!(hand.phase(), Phase::Discard);
            return;
        };
        let legal = hand.legal_actions(seat);
        let knocks: Vec<Card> = legal
            .iter()
            .filter_map(|action| match action {
                Action::Knock { discard, .. } => Some(*discard),
                _ => None,
            })
            .collect();
        let mut offered: Vec<Card> = options.options.iter().map(|option| option.card).collect();
        offered.retain(|card| knocks.contains(card));
        offered.sort_unstable();
        assert_eq!(offered, knocks, "the actions come in card order");
        assert_eq!(options.can_knock, !knocks.is_empty());
        let has_big_gin = legal.iter().any(|a| matches!(a, Action::BigGin { .. }));
        assert_eq!(options.can_big_gin, has_big_gin);
        let hint = options.hint.unwrap();
        assert!(legal.contains(&hint), "{hint:?}");
        assert!(hand.discard_options(seat, false).unwrap().hint.is_none());
    });
}

#[test]
fn a_hand_plays_on_from_any_of_its_positions_as_it_was() {
    for number in 0..300 {
        let mut dice = Dice::new(number);
        let (rules, deck, dealer) = (dice.rules(), dice.deck(), dice.seat());
        let mut hand = Hand::deal(&rules, &deck, dealer);
        let mut set_up: Vec<Hand> = Vec::new();
        while let Some(position) = hand.position() {
            let copy = Hand::from_position(&rules, &position)
                .unwrap_or_else(|invalid| panic!("hand {number}: {invalid}\n{position:?}"));
            assert_eq!(copy.position().as_ref(), Some(&position));
            set_up.push(copy);
            let step = dice.step(&hand);
            let events = play(&mut hand, &step);
            for copy in &mut set_up {
                assert_eq!(play(copy, &step), events, "hand {number}");
            }
        }
        assert!(set_up.iter().all(|copy| copy.result() == hand.result()));
    }
}

#[test]
fn any_position_is_refused_or_plays_on_to_an_end() {
    let mut accepted = [0; 6];
    for number in 0..60_000 {
        let mut dice = Dice::new(number);
        let (rules, position) = (dice.rules(), dice.position());
        let Ok(mut hand) = Hand::from_position(&rules, &position) else {
            continue;
        };
        accepted[position.phase as usize] += 1;
        assert_eq!(hand.position().unwrap().hands, position.hands);
        while hand.phase() != Phase::Over {
            for viewer in VIEWERS {
                assert_eq!(HandView::new(&hand, viewer, true).phase, hand.phase());
            }
            let step = dice.step(&hand);
            play(&mut hand, &step);
        }
    }
    let phases = accepted[..Phase::Over as usize].iter();
    assert!(phases.clone().all(|n| *n > 20), "{accepted:?}");
}

#[test]
fn random_play_comes_through_every_phase_to_every_outcome() {
    let (mut phases, mut outcomes) = (HashSet::new(), HashSet::new());
    for_each_step(1_500, |_, hand| {
        phases.insert(hand.phase());
        outcomes.extend(hand.result().map(|result| format!("{:?}", result.outcome)));
    });
    assert_eq!(phases.len(), 6, "{phases:?}");
    assert_eq!(outcomes.len(), 6, "{outcomes:?}");
}

// ------------------------------------------------------------------ matches

/// A command of a random match, now and then one that is refused.
fn command(dice: &mut Dice, game: &Match) -> Command {
    match dice.below(400) {
        0 => Command::Resign { seat: dice.seat() },
        1 => Command::ClaimAbsence { seat: dice.seat() },
        2 => Command::Abort,
        3..20 => Command::TimeOut {
            timeouts_to_forfeit: dice.pick(&[0, 0, 3]),
        },
        20..80 => Command::Act {
            seat: dice.seat(),
            action: dice.wild_action(game.hand()),
        },
        _ => {
            let (seat, action) = dice.legal_action(game.hand());
            Command::Act { seat, action }
        }
    }
}

#[test]
fn the_same_commands_give_the_same_match_and_refused_ones_change_nothing() {
    for number in 0..400 {
        let mut dice = Dice::new(number);
        let (rules, seed) = (dice.rules(), Seed::new(dice.bytes()));
        let (mut game, mut events) = Match::start(&rules, seed);
        let mut accepted = Vec::new();
        while game.result().is_none() {
            let command = command(&mut dice, &game);
            let before = game.clone();
            match game.apply(&command) {
                Ok(caused) => {
                    assert!(!caused.is_empty(), "{command:?}");
                    assert_ne!(game, before, "{command:?}");
                    events.extend(caused);
                    accepted.push(command);
                }
                Err(_) => assert_eq!(game, before, "{command:?}"),
            }
        }
        let over = game.clone();
        assert_eq!(game.apply(&Command::Abort), Err(Violation::MatchOver));
        assert_eq!((&game, game.to_act()), (&over, None));

        // Commands and events are stored as JSON.
        let stored = serde_json::to_string(&accepted).unwrap();
        let commands: Vec<Command> = serde_json::from_str(&stored).unwrap();
        assert_eq!(commands, accepted);
        let (mut again, mut events_again) = Match::start(&rules, seed);
        for command in &commands {
            events_again.extend(again.apply(command).unwrap());
        }
        assert_eq!((&again, &events_again), (&game, &events));
        let stored = serde_json::to_string(&events).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Event>>(&stored).unwrap(), events);
        assert_the_sheets_add_up(&game, &events);
    }
}

/// Hand points are the sum of what the events say was won, but for columns entered late.
fn assert_the_sheets_add_up(game: &Match, events: &[Event]) {
    if game.rules().hollywood {
        return;
    }
    let mut points = [0; 2];
    for event in events {
        if let Event::HandScored(scored) = event {
            if let Some(winner) = scored.result.winner {
                points[winner.index()] += scored.result.points;
            }
            let counted = scored.sheets.each_ref().map(|s| s.columns[0].hand_points);
            assert_eq!(counted, points);
        }
    }
    let result = game.result().unwrap();
    let counted = result.sheets.each_ref().map(|s| s.columns[0].hand_points);
    assert_eq!(counted, points);
}
