//! The rules of a hand's end: knocks, gin, big gin, layoffs, scores.

mod positions;

use ginrummy_engine::{
    Action, BadMelds, CardSet, Hand, KnockKind, Layoff, Oklahoma, Outcome, Overrides, Phase, Rules,
    Violation,
};
use positions::{
    A, B, DEFENDER, DRAW, KNOCKER, after, card, cards, knock, plain, position, rules, to_discard,
};

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
