//! The rules of one hand, option by option, from positions set up for them.

use ginrummy_engine::{
    Action, BadMelds, Card, CardSet, Event, Hand, HandView, KnockKind, Layoff, MeldChoice,
    Oklahoma, Outcome, Overrides, Phase, Pile, PileView, Position, Rules, Ruleset, Seat, Viewer,
    Violation, Wall,
};

const A: Seat = Seat::One;
const B: Seat = Seat::Two;
const TAKE: Action = Action::Draw {
    pile: Pile::Discard,
};
const DRAW: Action = Action::Draw { pile: Pile::Stock };

fn cards(text: &str) -> CardSet {
    text.parse().unwrap()
}

fn card(text: &str) -> Card {
    text.parse().unwrap()
}

fn discard(text: &str) -> Action {
    Action::Discard { card: card(text) }
}

fn knock(text: &str) -> Action {
    Action::knock(card(text))
}

fn rules(ruleset: &str, overrides: Overrides) -> Rules {
    Ruleset::named(ruleset).unwrap().with(overrides).unwrap()
}

fn plain() -> Rules {
    rules(
        "solo",
        Overrides {
            knocker_melds: Some(MeldChoice::Auto),
            ..Overrides::default()
        },
    )
}

/// Seat A holds `a`, seat B holds `b`; `pile` lies open (top last), `stock_len` cards are left.
/// The dealer is B. The rest of the deck lies below the pile.
fn position(phase: Phase, a: &str, b: &str, pile: &str, stock_len: usize) -> Position {
    let hands = [cards(a), cards(b)];
    let open: Vec<Card> = pile.split_whitespace().map(card).collect();
    let taken = hands[0] | hands[1] | open.iter().copied().collect();
    let rest: Vec<Card> = (CardSet::ALL - taken).into_iter().collect();
    let (stock, below) = rest.split_at(stock_len);
    Position {
        dealer: B,
        phase,
        to_act: A,
        hands,
        stock: stock.to_vec(),
        discard_pile: below.iter().copied().chain(open).collect(),
        upcard: None,
        must_draw_stock: false,
        drawn: None,
        drawn_from: Pile::Stock,
        knocker_melds: Vec::new(),
    }
}

fn to_discard(rules: &Rules, a: &str, b: &str, drawn: &str, stock_len: usize) -> Hand {
    let mut position = position(Phase::Discard, a, b, "", stock_len);
    position.drawn = Some(card(drawn));
    Hand::from_position(rules, &position).unwrap()
}

/// Nine melded cards, 9C and KS; the defender holds nothing that fits.
const KNOCKER: &str = "5H 6H 7H QC QD QH 2S 2D 2C 9C KS";
const DEFENDER: &str = "AC AD 3H 4C 8D 9S TC JD KC KH";

fn after(hand: &Hand, seat: Seat, actions: &[Action]) -> Hand {
    let mut hand = hand.clone();
    for action in actions {
        hand.apply(seat, action).unwrap();
    }
    hand
}

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
fn a_refused_knock_names_the_deadwood_and_the_limit_and_changes_nothing() {
    let a = "5H 6H 7H QC QD QH 2S 2D 9C JH KS";
    let mut hand = to_discard(&plain(), a, DEFENDER.replace("JD", "2H").as_str(), "9C", 20);
    let before = hand.clone();
    let refused = Violation::OverKnockLimit {
        deadwood: 23,
        limit: 10,
    };
    assert_eq!(hand.apply(A, &knock("KS")), Err(refused));
    assert_eq!(
        refused.to_string(),
        "23 deadwood points are more than the knock limit of 10"
    );
    assert_eq!(hand, before);
}

#[test]
fn a_tie_is_an_undercut_and_with_the_option_off_scores_nothing() {
    // The knocker keeps 9C; the defender's three melds leave 9S alone.
    let defender = "AC AD AS 3H 3C 3D TC JC QS KC";
    let tie = |rules: &Rules| {
        let mut hand = to_discard(rules, KNOCKER, defender, "KS", 20);
        hand.apply(A, &knock("KS")).unwrap();
        hand.apply(B, &Action::lay_off_best()).unwrap();
        hand.result().unwrap().clone()
    };
    // QS goes on the queens; TC JC KC and nothing else stay: 30 against 9.
    assert_eq!(tie(&plain()).points, 21);
    let level = "AC AD AS 3H 3C 3D TC TD TH 9S";
    let tie = |rules: &Rules| {
        let mut hand = to_discard(rules, KNOCKER, level, "KS", 20);
        hand.apply(A, &knock("KS")).unwrap();
        hand.apply(B, &Action::lay_off_best()).unwrap();
        hand.result().unwrap().clone()
    };
    let undercut = tie(&plain());
    let outcome = (
        undercut.outcome,
        undercut.winner,
        undercut.points,
        undercut.bonus,
    );
    assert_eq!(outcome, (Outcome::Undercut, Some(B), 25, 25));
    let tie_off = tie(&Rules {
        undercut_on_tie: false,
        ..plain()
    });
    assert_eq!(
        (tie_off.outcome, tie_off.winner, tie_off.points),
        (Outcome::Tie, None, 0)
    );
    assert!(tie_off.arrangements.is_some());
}

#[test]
fn declared_groups_count_even_when_better_ones_exist() {
    let rules = rules("solo", Overrides::default());
    let a = "3C 4C 5C 5D 5H 5S 2S 2D 2C 2H KS";
    let groups = |text: &str| -> Vec<CardSet> { text.split('|').map(cards).collect() };
    let hand = to_discard(&rules, a, "AC AD 3H 4D 8D 9S TC JD KC KH", "KS", 20);
    let declare = |melds| Action::Knock {
        discard: card("KS"),
        melds,
    };
    let worse = after(&hand, A, &[declare(groups("3C 4C 5C|5D 5H 5S|2S 2D 2C"))]);
    let showdown = worse.showdown().unwrap();
    assert_eq!(
        (showdown.kind, showdown.deadwood_points),
        (KnockKind::Knock, 2)
    );
    let best = after(
        &hand,
        A,
        &[declare(groups("3C 4C 5C|5D 5H 5S|2S 2D 2C 2H"))],
    );
    assert_eq!(best.result().unwrap().outcome, Outcome::Gin);
}

#[test]
fn groups_that_are_wrong_are_refused_with_what_is_wrong() {
    let rules = rules("solo", Overrides::default());
    let hand = to_discard(&rules, KNOCKER, DEFENDER, "KS", 20);
    let refused = |groups: &str| {
        let melds = groups
            .split('|')
            .filter(|g| !g.is_empty())
            .map(cards)
            .collect();
        hand.clone()
            .apply(
                A,
                &Action::Knock {
                    discard: card("KS"),
                    melds,
                },
            )
            .unwrap_err()
    };
    assert_eq!(refused(""), BadMelds::Required.into());
    assert_eq!(
        refused("5H 6H"),
        BadMelds::NotAMeld {
            cards: cards("5H 6H")
        }
        .into()
    );
    assert_eq!(
        refused("2S 2D 2H"),
        BadMelds::CardNotHeld { card: card("2H") }.into()
    );
    assert_eq!(
        refused("2S 2D 2C|2C 2D 2S"),
        BadMelds::SharedCard { card: card("2C") }.into()
    );
    assert_eq!(
        refused("5H 6H 7H"),
        Violation::OverKnockLimit {
            deadwood: 45,
            limit: 10
        }
    );
    let auto = to_discard(&plain(), KNOCKER, DEFENDER, "KS", 20);
    let sent = Action::Knock {
        discard: card("KS"),
        melds: vec![cards("5H 6H 7H")],
    };
    assert_eq!(auto.clone().apply(A, &sent), Err(BadMelds::Refused.into()));
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
fn big_gin_needs_all_eleven_cards_and_an_ordinary_gin_stays_possible() {
    let rules = rules("short", Overrides::default());
    let eleven = "AC 2C 3C 4C 5D 6D 7D 8D TH TS TD";
    let defender = "AD 2D 3H 4H 8C 9S TC JD KC KH";
    let hand = to_discard(&rules, eleven, defender, "TD", 20);
    let big_gin = Action::BigGin { melds: vec![] };
    let legal = hand.legal_actions(A);
    assert!(legal.contains(&big_gin) && legal.contains(&knock("4C")));
    let result = after(&hand, A, std::slice::from_ref(&big_gin))
        .result()
        .unwrap()
        .clone();
    assert_eq!(
        (result.outcome, result.bonus, result.winner),
        (Outcome::BigGin, 31, Some(A))
    );
    assert_eq!(
        after(&hand, A, &[knock("4C")]).result().unwrap().outcome,
        Outcome::Gin
    );
    let mut ten = to_discard(&rules, KNOCKER, DEFENDER, "KS", 20);
    assert_eq!(
        ten.apply(A, &big_gin),
        Err(Violation::NotAllMelded { deadwood: 19 })
    );
}

#[test]
fn nothing_is_laid_off_after_gin_unless_the_option_says_so() {
    let gin = "5H 6H 7H QC QD QH 2S 2D 2C 2H KS";
    let defender = "8H 9H 3S 4C 8D 9S TC JD KC KH";
    let mut hand = to_discard(&plain(), gin, defender, "KS", 20);
    hand.apply(A, &knock("KS")).unwrap();
    let result = hand.result().unwrap();
    assert_eq!((result.outcome, result.points), (Outcome::Gin, 25 + 81));
    let late = Action::LayOff {
        melds: vec![],
        layoffs: vec![],
    };
    assert_eq!(hand.apply(B, &late), Err(Violation::NoLayoffAfterGin));
    assert_eq!(hand.apply(B, &DRAW), Err(Violation::HandOver));

    let option = Rules {
        layoff_on_gin: true,
        ..plain()
    };
    let mut hand = to_discard(&option, gin, defender, "KS", 20);
    hand.apply(A, &knock("KS")).unwrap();
    assert_eq!((hand.phase(), hand.to_act()), (Phase::Layoff, Some(B)));
    hand.apply(B, &late).unwrap();
    let result = hand.result().unwrap();
    assert_eq!(
        (result.outcome, result.points),
        (Outcome::Gin, 25 + 81 - 17)
    );
}

#[test]
fn the_defenders_own_layoffs_stand_even_when_they_are_not_the_best() {
    let defender = "8H 9H 3S 4C 8D 9S TC JD KC KH";
    let mut hand = to_discard(&plain(), KNOCKER, defender, "KS", 20);
    hand.apply(A, &knock("KS")).unwrap();
    let run = hand
        .showdown()
        .unwrap()
        .melds
        .iter()
        .position(|m| m.cards() == cards("5H 6H 7H"));
    let at_run = |text| Layoff {
        card: card(text),
        meld_index: run.unwrap(),
    };
    let lay_off = |layoffs| Action::LayOff {
        melds: vec![],
        layoffs,
    };
    let skipping = hand.clone().apply(B, &lay_off(vec![at_run("9H")]));
    let index = run.unwrap();
    assert_eq!(
        skipping,
        Err(Violation::DoesNotFit {
            card: card("9H"),
            meld_index: index
        })
    );
    let nowhere = Layoff {
        card: card("8H"),
        meld_index: 7,
    };
    let refused = Violation::DoesNotFit {
        card: card("8H"),
        meld_index: 7,
    };
    assert_eq!(hand.clone().apply(B, &lay_off(vec![nowhere])), Err(refused));
    let twice = hand
        .clone()
        .apply(B, &lay_off(vec![at_run("8H"), at_run("8H")]));
    assert_eq!(twice, Err(Violation::CardNotInHand { card: card("8H") }));
    let one = after(&hand, B, &[lay_off(vec![at_run("8H")])]);
    let both = after(&hand, B, &[lay_off(vec![at_run("8H"), at_run("9H")])]);
    let auto = after(&hand, B, &[Action::lay_off_best()]);
    assert_eq!(
        one.result().unwrap().points,
        both.result().unwrap().points + 9
    );
    assert_eq!(auto.result(), both.result());
}

#[test]
fn groups_without_moves_mean_no_layoffs() {
    let defender = "8H 9H 3S 4S 5S 9S TC JD KC KH";
    let mut hand = to_discard(&plain(), KNOCKER, defender, "KS", 20);
    hand.apply(A, &knock("KS")).unwrap();
    let groups = Action::LayOff {
        melds: vec![cards("3S 4S 5S")],
        layoffs: vec![],
    };
    hand.apply(B, &groups).unwrap();
    let result = hand.result().unwrap();
    assert!(result.layoffs.is_empty());
    assert_eq!(result.points, 8 + 9 + 9 + 40 - 9);
}

#[test]
fn oklahoma_takes_the_limit_from_the_upcard_and_never_more_than_the_rulesets() {
    let limit = |oklahoma, knock_limit, upcard: &str| {
        let rules = Rules {
            oklahoma,
            knock_limit,
            ..plain()
        };
        let mut position = position(
            Phase::Draw,
            "5H 6H 7H QC QD QH 2S 2D 2C 9C",
            DEFENDER,
            "",
            20,
        );
        position.upcard = Some(card(upcard));
        Hand::from_position(&rules, &position)
            .unwrap()
            .knock_limit()
    };
    assert_eq!(limit(Oklahoma::AceIsOne, 10, "4D"), 4);
    assert_eq!(limit(Oklahoma::AceIsOne, 10, "KD"), 10);
    assert_eq!(limit(Oklahoma::AceIsOne, 5, "KD"), 5);
    assert_eq!(limit(Oklahoma::AceIsOne, 10, "AS"), 1);
    assert_eq!(limit(Oklahoma::AceIsGin, 10, "AS"), 0);
    assert_eq!(limit(Oklahoma::Off, 10, "AS"), 10);
}

#[test]
fn a_spade_upcard_doubles_the_points_where_the_option_is_on() {
    let rules = Rules {
        oklahoma: Oklahoma::AceIsOne,
        spades_double: true,
        ..plain()
    };
    let points = |upcard: &str| {
        let mut position = position(Phase::Discard, KNOCKER, DEFENDER, "", 20);
        position.upcard = Some(card(upcard));
        position.drawn = Some(card("KS"));
        let mut hand = Hand::from_position(&rules, &position).unwrap();
        hand.apply(A, &knock("KS")).unwrap();
        hand.apply(B, &Action::lay_off_best()).unwrap();
        let result = hand.result().unwrap();
        (result.points, result.doubled)
    };
    let (single, doubled) = (points("TD"), points("TS"));
    assert_eq!(doubled, (2 * single.0, true));
    assert!(!single.1);
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
fn a_face_down_knock_card_is_known_to_its_owner_alone() {
    let rules = rules("kawu", Overrides::default());
    let mut hand = to_discard(&rules, KNOCKER, DEFENDER, "KS", 20);
    let events = hand.apply(A, &knock("KS")).unwrap();
    let shown = |viewer| {
        let Event::Knocked(showdown) = events[0].seen_by(viewer, true) else {
            panic!()
        };
        let view = HandView::new(&hand, viewer, true);
        let last = view
            .last_action
            .map(|event| format!("{event:?}").contains("KS"));
        let in_view = view.showdown.unwrap().discard;
        (
            showdown.discard,
            in_view,
            view.discard_pile.last().copied(),
            view.discard_count,
            last,
        )
    };
    let count = hand.discard_pile().len();
    let ks = Some(card("KS"));
    let below = hand.discard_pile()[count - 2];
    assert_eq!(shown(Viewer::Seat(A)), (ks, ks, ks, count, None));
    for viewer in [Viewer::Seat(B), Viewer::Spectator] {
        assert_eq!(shown(viewer), (None, None, Some(below), count, Some(false)));
    }
}

#[test]
fn a_top_only_pile_shows_its_top_card_and_count_and_no_known_cards() {
    let rules = Rules {
        pile_view: PileView::TopOnly,
        upcard_offer: false,
        ..plain()
    };
    let a = "5H 6H 7H QC QD QH 2S 2D 2C 9C";
    let mut hand =
        Hand::from_position(&rules, &position(Phase::Draw, a, DEFENDER, "JH KS", 20)).unwrap();
    hand.apply(A, &TAKE).unwrap();
    let view = HandView::new(&hand, Viewer::Seat(B), true);
    assert_eq!(
        (view.discard_pile, view.known_cards[0]),
        (vec![card("JH")], CardSet::EMPTY)
    );
    assert_eq!(view.discard_count, hand.discard_pile().len());
    assert_eq!(view.own_hand, Some(cards(DEFENDER)));
}

#[test]
fn without_hints_only_knocks_and_the_best_value_are_listed() {
    let hand = to_discard(&plain(), KNOCKER, DEFENDER, "KS", 20);
    let with = hand.discard_options(A, true).unwrap();
    assert_eq!(with.options.len(), 11);
    assert_eq!(with.hint, Some(knock("KS")));
    let without = hand.discard_options(A, false).unwrap();
    let listed: Vec<_> = without
        .options
        .iter()
        .map(|o| (o.card, o.deadwood_points))
        .collect();
    assert_eq!(listed, [(card("KS"), 9), (card("9C"), 10)]);
    assert_eq!((without.best_deadwood, without.hint), (9, None));
    assert!(hand.discard_options(B, true).is_none());
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

#[test]
fn legal_actions_come_in_card_order_and_so_give_no_hint() {
    let hand = to_discard(&plain(), KNOCKER, DEFENDER, "KS", 20);
    let listed = |of: fn(&Action) -> Option<Card>| -> Vec<Card> {
        hand.legal_actions(A).iter().filter_map(of).collect()
    };
    let discards = listed(|action| match action {
        Action::Discard { card } => Some(*card),
        _ => None,
    });
    assert_eq!(discards, cards(KNOCKER).into_iter().collect::<Vec<_>>());
    let knocks = listed(|action| match action {
        Action::Knock { discard, .. } => Some(*discard),
        _ => None,
    });
    assert_eq!(knocks, [card("9C"), card("KS")]);
}

#[test]
fn the_hint_knocks_with_the_best_discard_and_with_a_card_just_taken_only_if_nothing_else_can() {
    let rules = Rules {
        allow_discard_taken: true,
        ..plain()
    };
    let hint = |a: &str, taken: &str| {
        let mut position = position(Phase::Draw, a, DEFENDER, taken, 20);
        position.upcard = Some(card(taken));
        let mut hand = Hand::from_position(&rules, &position).unwrap();
        hand.apply(A, &TAKE).unwrap();
        hand.discard_options(A, true).unwrap().hint.unwrap()
    };
    assert_eq!(hint("5H 6H 7H QC QD QH 2S 2D 2C 9C", "KS"), knock("9C"));
    assert_eq!(hint("5H 6H 7H QC QD QH 2S 4D AS 3C", "KS"), knock("KS"));
}

#[test]
fn a_late_layoff_after_a_scored_gin_meets_a_hand_that_is_over() {
    let option = Rules {
        layoff_on_gin: true,
        ..plain()
    };
    let gin = "5H 6H 7H QC QD QH 2S 2D 2C 2H KS";
    let mut hand = to_discard(&option, gin, "8H 9H 3S 4C 8D 9S TC JD KC KH", "KS", 20);
    hand.apply(A, &knock("KS")).unwrap();
    hand.apply(B, &Action::lay_off_best()).unwrap();
    assert_eq!(
        hand.apply(B, &Action::lay_off_best()),
        Err(Violation::HandOver)
    );
}

#[test]
fn the_last_action_shown_is_the_layoff_once_it_is_made() {
    let mut hand = to_discard(&plain(), KNOCKER, DEFENDER, "KS", 20);
    hand.apply(A, &knock("KS")).unwrap();
    let events = hand.apply(B, &Action::lay_off_best()).unwrap();
    for viewer in [Viewer::Seat(A), Viewer::Spectator] {
        let view = HandView::new(&hand, viewer, true);
        assert_eq!(view.last_action.as_ref(), events.first());
    }
}

#[test]
fn a_bot_remembers_the_pile_that_its_seat_saw_where_a_snapshot_shows_the_top_alone() {
    let rules = Rules {
        pile_view: PileView::TopOnly,
        upcard_offer: false,
        ..plain()
    };
    let a = "5H 6H 7H QC QD QH 2S 2D 2C 9C";
    let mut hand =
        Hand::from_position(&rules, &position(Phase::Draw, a, DEFENDER, "JH KS", 20)).unwrap();
    hand.apply(A, &TAKE).unwrap();
    let view = ginrummy_engine::SeatView::new(&hand, B);
    assert_eq!(view.discard_pile(), hand.discard_pile());
    assert_eq!(view.known_of_opponent(), cards("KS"));
}

#[test]
fn an_empty_group_is_refused_in_words() {
    let rules = rules("kawu", Overrides::default());
    let mut hand = to_discard(&rules, KNOCKER, DEFENDER, "KS", 20);
    let empty = Action::Knock {
        discard: card("KS"),
        melds: vec![CardSet::EMPTY],
    };
    let refused = hand.apply(A, &empty).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "an empty group is neither a set nor a run"
    );
}
