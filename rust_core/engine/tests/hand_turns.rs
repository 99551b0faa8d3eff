//! The rules of a turn: the upcard offer, the wall, time-outs, refusals, positions.

mod positions;

use ginrummy_engine::{
    Action, Event, Hand, Outcome, Phase, Pile, Position, Rules, Violation, Wall,
};
use positions::{
    A, B, DEFENDER, DRAW, KNOCKER, TAKE, after, card, cards, discard, knock, plain, position,
    to_discard,
};

#[test]
fn after_both_refuse_the_upcard_the_non_dealer_must_draw_from_the_stock() {
    let seed = ginrummy_engine::Seed::new([3; 32]);
    let mut hand = Hand::deal(&plain(), &seed.deck(1), B);
    assert_eq!(hand.legal_actions(A), [Action::Pass, TAKE]);
    hand.apply(A, &Action::Pass).unwrap();
    assert_eq!(hand.legal_actions(B), [Action::Pass, TAKE]);
    hand.apply(B, &Action::Pass).unwrap();
    assert_eq!(hand.legal_actions(A), [DRAW]);
    assert_eq!(hand.apply(A, &TAKE), Err(Violation::MustDrawStock));
    hand.apply(A, &DRAW).unwrap();
    assert_eq!(hand.phase(), Phase::Discard);
}

#[test]
fn a_taken_upcard_may_not_be_discarded_in_the_same_turn() {
    let seed = ginrummy_engine::Seed::new([3; 32]);
    let mut hand = Hand::deal(&plain(), &seed.deck(1), B);
    let upcard = hand.upcard();
    hand.apply(A, &TAKE).unwrap();
    let refused = Err(Violation::DiscardJustTaken { card: upcard });
    assert_eq!(hand.apply(A, &Action::Discard { card: upcard }), refused);
    assert_eq!(hand.apply(A, &Action::knock(upcard)), refused);
    assert!(
        !hand
            .legal_actions(A)
            .contains(&Action::Discard { card: upcard })
    );
}

#[test]
fn the_option_allow_discard_taken_lets_it_go_back_but_never_as_the_best_discard() {
    let rules = Rules {
        allow_discard_taken: true,
        ..plain()
    };
    let mut position = position(
        Phase::Draw,
        "5H 6H 7H QC QD QH 2S 2D 2C 9C",
        DEFENDER,
        "KS",
        20,
    );
    position.upcard = Some(card("KS"));
    let mut hand = Hand::from_position(&rules, &position).unwrap();
    hand.apply(A, &TAKE).unwrap();
    let options = hand.discard_options(A, true).unwrap();
    // KS would leave 9, as nothing else does, but the best discard is never the card taken.
    assert_eq!(
        options.options.last().map(|option| option.card),
        Some(card("KS"))
    );
    assert_eq!(options.options[0].card, card("9C"));
    hand.apply(A, &discard("KS")).unwrap();
}

#[test]
fn refusals_are_tested_in_the_order_of_the_rules() {
    let mut hand = to_discard(&plain(), KNOCKER, DEFENDER, "KS", 20);
    // Not B's turn, and a wrong phase, and a card he has not: the turn is named.
    assert_eq!(
        hand.apply(B, &knock("5H")),
        Err(Violation::NotYourTurn { to_act: A })
    );
    assert_eq!(
        hand.apply(A, &DRAW),
        Err(Violation::WrongPhase {
            phase: Phase::Discard
        })
    );
    assert_eq!(
        hand.apply(A, &Action::BigGin { melds: vec![] }),
        Err(Violation::BigGinOff)
    );
    let bad = Action::Knock {
        discard: card("AC"),
        melds: vec![cards("AS AD")],
    };
    assert_eq!(
        hand.apply(A, &bad),
        Err(Violation::CardNotInHand { card: card("AC") })
    );
}

#[test]
fn a_discard_that_leaves_two_cards_makes_the_hand_dead_and_shows_no_cards() {
    let mut hand = to_discard(&plain(), KNOCKER, DEFENDER, "KS", 2);
    hand.apply(A, &discard("KS")).unwrap();
    let result = hand.result().unwrap();
    assert_eq!(
        (result.outcome, result.winner, result.points),
        (Outcome::Dead, None, 0)
    );
    assert_eq!(result.arrangements, None);
}

#[test]
fn the_last_chance_is_to_take_and_knock_or_to_pass() {
    let rules = Rules {
        wall: Wall::LastChance,
        ..plain()
    };
    // B holds nine melded cards and 8D; A's discard 9C leaves him a knock, KH does not.
    let defender = "5C 6C 7C JC JD JH 3S 3D 3C 8D";
    let a = "5H 6H 7H QC QD QH 2S 2D KH 9C KS";
    let mut hand = to_discard(&rules, a, defender, "KS", 2);
    hand.apply(A, &discard("9C")).unwrap();
    assert_eq!((hand.phase(), hand.to_act()), (Phase::LastChance, Some(B)));
    assert_eq!(hand.legal_actions(B), [Action::Pass, TAKE]);
    assert_eq!(
        hand.apply(B, &DRAW),
        Err(Violation::WrongPhase {
            phase: Phase::LastChance
        })
    );

    let passed = after(&hand, B, &[Action::Pass]);
    assert_eq!(passed.result().unwrap().outcome, Outcome::Dead);

    let taken = after(&hand, B, &[TAKE]);
    assert_eq!(
        taken.clone().apply(B, &discard("8D")),
        Err(Violation::MustKnock)
    );
    assert!(
        taken
            .legal_actions(B)
            .iter()
            .all(|a| matches!(a, Action::Knock { .. }))
    );
    let resumed = Hand::from_position(&rules, &taken.position().unwrap()).unwrap();
    assert_eq!(resumed.legal_actions(B), taken.legal_actions(B));
    let knocked = after(&taken, B, &[knock("8D")]);
    assert_eq!(knocked.phase(), Phase::Layoff);
    let mut timed_out = taken.clone();
    timed_out.time_out();
    assert_eq!(timed_out.result().unwrap().outcome, Outcome::Dead);
}

#[test]
fn the_last_chance_may_not_be_taken_where_no_knock_would_follow() {
    let rules = Rules {
        wall: Wall::LastChance,
        ..plain()
    };
    let mut hand = to_discard(&rules, KNOCKER, DEFENDER, "KS", 2);
    hand.apply(A, &discard("KS")).unwrap();
    assert_eq!(hand.legal_actions(B), [Action::Pass]);
    assert_eq!(hand.apply(B, &TAKE), Err(Violation::NoLastChance));
    hand.time_out();
    assert_eq!(hand.result().unwrap().outcome, Outcome::Dead);
}

#[test]
fn a_time_out_draws_and_discards_the_best_card_but_never_knocks() {
    let mut position = position(
        Phase::Draw,
        "5H 6H 7H QC QD QH 2S 2D 2C 9C",
        DEFENDER,
        "KS",
        20,
    );
    position.stock[0..].reverse();
    let mut hand = Hand::from_position(&plain(), &position).unwrap();
    let events = hand.time_out();
    assert!(matches!(
        events[..],
        [
            Event::CardDrawn {
                pile: Pile::Stock,
                ..
            },
            Event::CardDiscarded { .. }
        ]
    ));
    assert_eq!((hand.phase(), hand.to_act()), (Phase::Draw, Some(B)));
    let mut gin = to_discard(
        &plain(),
        "5H 6H 7H QC QD QH 2S 2D 2C 2H KS",
        DEFENDER,
        "2H",
        20,
    );
    gin.time_out();
    assert!(gin.showdown().is_none());
    assert_eq!(gin.discard_pile().last(), Some(&card("KS")));
}

#[test]
fn an_impossible_position_is_refused_with_its_field() {
    let refused = |change: fn(&mut Position)| {
        let mut position = position(Phase::Discard, KNOCKER, DEFENDER, "", 20);
        position.drawn = Some(card("KS"));
        change(&mut position);
        Hand::from_position(&plain(), &position).unwrap_err().field
    };
    assert_eq!(refused(|p| p.stock[0] = p.stock[1]), "stock");
    assert_eq!(refused(|p| p.discard_pile.truncate(1)), "stock");
    assert_eq!(refused(|p| p.hands.swap(0, 1)), "hands");
    assert_eq!(refused(|p| p.drawn = None), "drawn");
    assert_eq!(refused(|p| p.drawn = Some(card("AC"))), "drawn");
    assert_eq!(refused(|p| p.phase = Phase::Over), "phase");
    assert_eq!(refused(|p| p.must_draw_stock = true), "must_draw_stock");
    let empty_pile = |p: &mut Position| {
        let pile = std::mem::take(&mut p.discard_pile);
        p.upcard = pile.first().copied();
        p.stock.extend(pile);
    };
    assert_eq!(refused(empty_pile), "discard_pile");
}
