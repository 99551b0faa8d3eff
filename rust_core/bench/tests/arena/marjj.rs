//! The MARJJ-style player on positions worked out by hand.

use ginrummy_bench::arena::game::eaai_rules;
use ginrummy_bench::arena::players::{Deal, Marjj, Player, Weighed};
use ginrummy_engine::{
    Action, Card, CardSet, Event, Hand, Phase, Pile, Position, Seat, SeatView, Seed,
};

/// Seat 1's eleven cards as above; three clubs in a run, and everything else loose.
const LOOSE: &str = "2C 3C 4C 7D 7H KS QD 9H 5S JH TS";

fn cards(text: &str) -> CardSet {
    text.parse().unwrap()
}

fn card(text: &str) -> Card {
    text.parse().unwrap()
}

/// A position with seat 1 to act; the opponent holds these and the first cards that nobody has.
fn hand(phase: Phase, to_act: Seat, own: &str, opponents: &str, pile: &[&str]) -> Hand {
    let (own, mut his) = (cards(own), cards(opponents));
    let discard_pile: Vec<Card> = pile.iter().map(|name| card(name)).collect();
    let open: CardSet = discard_pile.iter().copied().collect();
    let mut free = (CardSet::ALL - own - his - open).into_iter();
    while his.len() < 10 {
        his.insert(free.next().unwrap());
    }
    let is_discard = phase == Phase::Discard;
    let position = Position {
        dealer: Seat::Two,
        phase,
        to_act,
        hands: [own, his],
        stock: free.collect(),
        discard_pile,
        upcard: None,
        must_draw_stock: false,
        drawn: own.first().filter(|_| is_discard),
        drawn_from: Pile::Stock,
        knocker_melds: Vec::new(),
    };
    Hand::from_position(&eaai_rules(), &position).unwrap()
}

fn to_discard(own: &str, pile: &[&str]) -> Hand {
    hand(Phase::Discard, Seat::One, own, "", pile)
}

/// The player in seat 1 on its n-th turn of this hand.
fn on_turn(turn: u32) -> Marjj {
    let mut player = Marjj::default();
    let deal = Deal {
        rules: &eaai_rules(),
        deck: &Seed::new([0; 32]).deck(1),
        dealer: Seat::Two,
        points: [0; 2],
    };
    player.sit_down(Seat::One, &deal);
    for _ in 0..turn {
        for seat in Seat::BOTH {
            player.see(&Event::CardDrawn {
                seat,
                pile: Pile::Stock,
                card: None,
            });
        }
    }
    player
}

fn weighed(view: &SeatView<'_>, turn: i32, name: &str) -> Weighed {
    let all = Weighed::discards(view, turn);
    *all.iter()
        .find(|weighed| weighed.card == card(name))
        .unwrap()
}

fn assert_near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-9,
        "{found} instead of {expected}"
    );
}

#[test]
fn the_seven_discards_of_least_deadwood_are_weighed() {
    let hand = to_discard(LOOSE, &["KD", "KH"]);
    let weighed = Weighed::discards(&SeatView::new(&hand, Seat::One), 1);
    let order: Vec<_> = weighed.iter().map(|weighed| weighed.card).collect();
    let wanted: CardSet = order.iter().copied().collect();
    assert_eq!((order.len(), wanted), (7, cards("KS QD JH TS 9H 7D 7H")));
    assert_near(weighed[0].deadwood, 58.0);
    assert_near(weighed[6].deadwood, 61.0);
}

#[test]
fn prospects_are_the_share_of_deadwood_that_one_more_draw_is_expected_to_leave_and_fade() {
    let hand = to_discard("AC 2C 3C 5D 5H 5S 9S TS JS KH KD", &["KC", "KS"]);
    let view = SeatView::new(&hand, Seat::One);
    // KH stays with its ten points. 39 cards are unseen: 4C 5C 8S QS make gin of it, each other one
    // is kept for it, and the deck's 340 points without those seen and those four are 223.
    let share = 223.0 / 39.0 / 10.0;
    assert_near(weighed(&view, 1, "KD").prospects, 18.0 * share);
    assert_near(weighed(&view, 3, "KD").prospects, 18.0 * 0.81 * share);
}

#[test]
fn danger_is_four_and_a_half_points_a_meld_that_the_opponent_is_expected_to_make() {
    let hand = to_discard(LOOSE, &["KD", "KH"]);
    let view = SeatView::new(&hand, Seat::One);
    // He holds an unseen card with a chance of 10 in 39. Two kings lie open, so that the king goes
    // with JS QS alone; the queen with two of three queens or TD JD.
    let chance = 10.0 / 39.0;
    assert_near(weighed(&view, 1, "KS").danger, 4.5 * chance * chance);
    assert_near(weighed(&view, 1, "QD").danger, 4.5 * 4.0 * chance * chance);
}

#[test]
fn cards_the_opponent_was_seen_to_take_are_dangerous() {
    let own = LOOSE.trim_end_matches(" TS");
    let mut hand = hand(Phase::Draw, Seat::Two, own, "KH", &["KD", "QS"]);
    let draw = |pile| Action::Draw { pile };
    hand.apply(Seat::Two, &draw(Pile::Discard)).unwrap();
    hand.apply(Seat::Two, &Action::Discard { card: card("KH") })
        .unwrap();
    hand.apply(Seat::One, &draw(Pile::Stock)).unwrap();
    let view = SeatView::new(&hand, Seat::One);
    // QS is his, JS one of 38 unseen cards of which he holds nine.
    assert_near(weighed(&view, 1, "KS").danger, 4.5 * 9.0 / 38.0);
}

#[test]
fn the_lowest_sum_is_discarded() {
    let hand = to_discard(LOOSE, &["KD", "KH"]);
    let view = SeatView::new(&hand, Seat::One);
    let king = weighed(&view, 4, "KS");
    assert_near(king.score(), king.deadwood + king.prospects + king.danger);
    assert_eq!(
        on_turn(4).decide(&view),
        Action::Discard { card: card("KS") }
    );
}

#[test]
fn it_knocks_on_its_first_three_turns_and_waits_for_gin_from_then_on() {
    let hand = to_discard("AC 2C 3C 4D 4H 4S 7D 8D 9D 5S KH", &["KD"]);
    let view = SeatView::new(&hand, Seat::One);
    for turn in 1..=3 {
        let action = on_turn(turn).decide(&view);
        assert!(matches!(action, Action::Knock { discard, .. } if discard == card("KH")));
    }
    for turn in [4, 9] {
        assert_eq!(
            on_turn(turn).decide(&view),
            Action::Discard { card: card("KH") }
        );
    }
    let gin = to_discard("AC 2C 3C 4D 4H 4S 7D 8D 9D TD KH", &["KD"]);
    let action = on_turn(9).decide(&SeatView::new(&gin, Seat::One));
    assert!(matches!(action, Action::Knock { .. }));
}

#[test]
fn a_knock_shows_the_melds_that_least_can_be_laid_off_on() {
    // The run of diamonds or the fives, ten points are left either way. 3D and 7D lie open, 5C does not.
    let hand = to_discard("4D 5D 6D 5H 5S 9S TS JS QS KS KD", &["3D", "7D"]);
    let action = on_turn(1).decide(&SeatView::new(&hand, Seat::One));
    let melds = vec![cards("4D 5D 6D"), cards("9S TS JS QS KS")];
    assert_eq!(
        action,
        Action::Knock {
            discard: card("KD"),
            melds
        }
    );
}

#[test]
fn the_open_card_is_taken_only_into_a_meld_that_lowers_the_deadwood() {
    let own = "2C 3C 4C 7D 7H KS QD 9H 5S JH";
    let takes = |pile: &[&str]| {
        let hand = hand(Phase::Draw, Seat::One, own, "", pile);
        let action = on_turn(2).decide(&SeatView::new(&hand, Seat::One));
        action
            == Action::Draw {
                pile: Pile::Discard,
            }
    };
    assert!(takes(&["KD", "7S"]), "three sevens");
    assert!(
        !takes(&["KD", "AS"]),
        "an ace lowers the deadwood without a meld"
    );
    let melded = "4D 5D 6D 5H 5S 9S TS JS QS KS";
    let hand = hand(Phase::Draw, Seat::One, melded, "", &["KD", "4S"]);
    let stock = Action::Draw { pile: Pile::Stock };
    assert_eq!(on_turn(2).decide(&SeatView::new(&hand, Seat::One)), stock);
}

#[test]
fn it_does_not_take_the_same_card_in_the_same_position_twice() {
    let hand = hand(
        Phase::Draw,
        Seat::One,
        "2C 3C 4C 7D 7H KS QD 9H 5S JH",
        "",
        &["KD", "7S"],
    );
    let view = SeatView::new(&hand, Seat::One);
    let mut player = on_turn(2);
    let draws = [player.decide(&view), player.decide(&view)];
    assert_eq!(
        draws,
        [Pile::Discard, Pile::Stock].map(|pile| Action::Draw { pile })
    );
}
