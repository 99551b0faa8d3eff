//! Hands set up for a test, and short words for cards and actions.
#![allow(dead_code, reason = "each test program takes what it needs")]

use ginrummy_engine::{
    Action, Card, CardSet, Hand, MeldChoice, Overrides, Phase, Pile, Position, Rules, Ruleset, Seat,
};

pub(crate) const A: Seat = Seat::One;
pub(crate) const B: Seat = Seat::Two;
pub(crate) const TAKE: Action = Action::Draw {
    pile: Pile::Discard,
};
pub(crate) const DRAW: Action = Action::Draw { pile: Pile::Stock };

pub(crate) fn cards(text: &str) -> CardSet {
    text.parse().unwrap()
}

pub(crate) fn card(text: &str) -> Card {
    text.parse().unwrap()
}

pub(crate) fn discard(text: &str) -> Action {
    Action::Discard { card: card(text) }
}

pub(crate) fn knock(text: &str) -> Action {
    Action::knock(card(text))
}

pub(crate) fn rules(ruleset: &str, overrides: Overrides) -> Rules {
    Ruleset::named(ruleset).unwrap().with(overrides).unwrap()
}

pub(crate) fn plain() -> Rules {
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
pub(crate) fn position(phase: Phase, a: &str, b: &str, pile: &str, stock_len: usize) -> Position {
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

pub(crate) fn to_discard(rules: &Rules, a: &str, b: &str, drawn: &str, stock_len: usize) -> Hand {
    let mut position = position(Phase::Discard, a, b, "", stock_len);
    position.drawn = Some(card(drawn));
    Hand::from_position(rules, &position).unwrap()
}

/// Nine melded cards, 9C and KS; the defender holds nothing that fits.
pub(crate) const KNOCKER: &str = "5H 6H 7H QC QD QH 2S 2D 2C 9C KS";
pub(crate) const DEFENDER: &str = "AC AD 3H 4C 8D 9S TC JD KC KH";

pub(crate) fn after(hand: &Hand, seat: Seat, actions: &[Action]) -> Hand {
    let mut hand = hand.clone();
    for action in actions {
        hand.apply(seat, action).unwrap();
    }
    hand
}
