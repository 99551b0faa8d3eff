//! Bots: by the rules, the same for the same seed, and from what their seat knows alone.

mod dice;

use std::cell::Cell;

use dice::Dice;
use ginrummy_engine::{
    Action, Bot, Card, Command, Hand, Match, Phase, Rules, Seat, SeatPosition, SeatView, Seed,
    Thinking,
};
use proptest::prelude::*;

fn thinking(seed: u64, samples: u32) -> Thinking<'static> {
    Thinking {
        seed,
        samples: Some(samples),
        ..Thinking::default()
    }
}

/// A whole match of two bots; the latest hand before each action is shown.
fn play(rules: &Rules, seed: Seed, bots: [Bot; 2], mut look: impl FnMut(&Match, Seat, &Action)) {
    let (mut game, _) = Match::start(rules, seed);
    let mut actions = 0;
    while let Some(seat) = game.to_act() {
        let view = game.seat_view(seat).unwrap();
        let action = bots[seat.index()].decide(&view, &thinking(actions, 2));
        let action = action.expect("it is its turn");
        look(&game, seat, &action);
        let played = game.apply(&Command::Act { seat, action });
        played.expect("bots play by the rules");
        actions += 1;
        assert!(actions < 200_000, "the match does not end");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_bot_plays_whole_matches_by_the_rules(number in any::<u64>(), one in 0..6usize, two in 0..6usize) {
        let mut dice = Dice::new(number);
        let mut rules = dice.rules();
        // Straight gin to 500 would take minutes.
        rules.target = rules.target.min(100);
        play(&rules, Seed::new(dice.bytes()), [Bot::ALL[one], Bot::ALL[two]], |game, seat, action| {
            let legal = game.hand().legal_actions(seat);
            assert!(legal.contains(action), "{action:?} is not among {legal:?}");
        });
    }

    #[test]
    fn advice_is_legal_and_its_best_is_what_the_bot_does(number in any::<u64>()) {
        let mut dice = Dice::new(number);
        let rules = dice.rules();
        let mut hand = Hand::deal(&rules, &dice.deck(), dice.seat());
        for step in 0..40 {
            let Some(seat) = hand.to_act() else { break };
            let view = SeatView::new(&hand, seat);
            let bot = dice.pick(&Bot::ALL);
            let advice = bot.suggest(&view, &thinking(step, 5));
            let legal = view.legal_actions();
            prop_assert!(advice.iter().all(|s| legal.contains(&s.action)));
            let decided = bot.decide(&view, &thinking(step, 5));
            prop_assert_eq!(advice.into_iter().next().map(|s| s.action), decided);
            let other = SeatView::new(&hand, seat.opponent());
            prop_assert!(bot.suggest(&other, &thinking(step, 5)).is_empty());
            prop_assert_eq!(bot.decide(&other, &thinking(step, 5)), None);
            let (seat, action) = dice.legal_action(&hand);
            hand.apply(seat, &action).unwrap();
        }
    }

    #[test]
    fn a_position_told_by_one_seat_does_not_depend_on_what_it_does_not_know(number in any::<u64>()) {
        let mut dice = Dice::new(number);
        let rules = dice.rules();
        let mut hand = Hand::deal(&rules, &dice.deck(), dice.seat());
        for _ in 0..dice.below(30) {
            let (seat, action) = dice.legal_action(&hand);
            let mut next = hand.clone();
            next.apply(seat, &action).unwrap();
            if matches!(next.phase(), Phase::Over | Phase::Layoff) {
                break;
            }
            hand = next;
        }
        let seat = hand.to_act().unwrap();
        let told = SeatView::new(&Hand::from_seat_position(&rules, &known_to(&hand, seat)).unwrap(), seat)
            .legal_actions();
        prop_assert_eq!(told, SeatView::new(&hand, seat).legal_actions());
        let advice = Seat::BOTH.map(|_| {
            // Two fillings: as they lie, and with the hidden cards in another order.
            let told = Hand::from_seat_position(&rules, &known_to(&hand, seat)).unwrap();
            let is_known = !known_to(&hand, seat).known_of_opponent.is_empty();
            let told = if !is_known && dice.one_in(2) { refilled(&rules, &told, seat, &mut dice) } else { told };
            Bot::Expert.suggest(&SeatView::new(&told, seat), &thinking(3, 8))
        });
        prop_assert_eq!(&advice[0], &advice[1]);
    }
}

/// What the seat to act knows of a hand.
fn known_to(hand: &Hand, seat: Seat) -> SeatPosition {
    let view = SeatView::new(hand, seat);
    SeatPosition {
        seat,
        dealer: hand.dealer(),
        phase: hand.phase(),
        hand: view.cards(),
        discard_pile: view.discard_pile().to_vec(),
        known_of_opponent: view.known_of_opponent(),
        stock_count: Some(view.stock_len()),
        upcard: Some(hand.upcard()),
        must_draw_stock: view.must_draw_stock(),
        drawn: view.drawn().map(|(card, _)| card),
        drawn_from: view
            .drawn()
            .map_or(ginrummy_engine::Pile::Stock, |(_, pile)| pile),
        knocker_melds: Vec::new(),
    }
}

/// The same for the seat, with its hidden cards exchanged.
fn refilled(rules: &Rules, hand: &Hand, seat: Seat, dice: &mut Dice) -> Hand {
    let mut position = hand.position().unwrap();
    let opponent = seat.opponent().index();
    let mut hidden: Vec<Card> = position.hands[opponent].into_iter().collect();
    hidden.append(&mut position.stock);
    for i in (1..hidden.len()).rev() {
        hidden.swap(i, dice.below(i + 1));
    }
    position.hands[opponent] = hidden.drain(..10).collect();
    position.stock = hidden;
    Hand::from_position(rules, &position).unwrap()
}

#[test]
fn the_expert_does_the_same_for_the_same_seed() {
    let rules = ginrummy_engine::Ruleset::named("solo").unwrap().rules;
    let stories = Seat::BOTH.map(|_| {
        let mut story = Vec::new();
        play(
            &rules,
            Seed::new([3; 32]),
            [Bot::Expert, Bot::Hard],
            |_, seat, action| {
                story.push((seat, action.clone()));
            },
        );
        story
    });
    assert!(stories[0].len() > 20);
    assert_eq!(stories[0], stories[1]);
}

#[test]
fn who_may_not_go_on_answers_at_once_with_the_best_so_far() {
    let rules = ginrummy_engine::Ruleset::named("solo").unwrap().rules;
    let hand = Hand::deal(&rules, &Seed::new([1; 32]).deck(1), Seat::One);
    let view = SeatView::new(&hand, Seat::Two);
    for worlds in [0, 5] {
        let asked = Cell::new(0);
        let goes_on = || {
            asked.set(asked.get() + 1);
            asked.get() <= worlds
        };
        let thinking = Thinking {
            seed: 0,
            samples: Some(u32::MAX),
            goes_on: &goes_on,
        };
        assert!(Bot::Expert.decide(&view, &thinking).is_some());
        assert_eq!(asked.get(), worlds + 1);
    }
}
