//! A hand from any valid position: for tests, analysis and puzzles.

use serde::{Deserialize, Serialize};

use super::showdown::declared_arrangement;
use super::turns::Turns;
use super::{Hand, WALL};
use crate::action::{Phase, Pile};
use crate::arrangement::{Arrangement, best_arrangement};
use crate::card::Card;
use crate::card_set::CardSet;
use crate::event::{KnockKind, Showdown};
use crate::rules::{MeldChoice, Rules, Wall};
use crate::seat::Seat;

/// Where a hand stands: every one of the 52 cards once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    pub dealer: Seat,
    pub phase: Phase,
    /// Whose decision it is; in [`Phase::Layoff`] the defender's.
    pub to_act: Seat,
    /// By seat: ten cards, eleven for who has drawn or declared big gin.
    pub hands: [CardSet; 2],
    /// In drawing order.
    pub stock: Vec<Card>,
    /// Bottom to top; the knock card is on top.
    pub discard_pile: Vec<Card>,
    /// The card turned up at the deal; unset: the pile's bottom card. Sets the Oklahoma limit.
    #[serde(default)]
    pub upcard: Option<Card>,
    /// Both players have just refused the upcard.
    #[serde(default)]
    pub must_draw_stock: bool,
    /// In [`Phase::Discard`]: the card drawn in this turn.
    #[serde(default)]
    pub drawn: Option<Card>,
    /// Where that card came from.
    #[serde(default = "stock")]
    pub drawn_from: Pile,
    /// In [`Phase::Layoff`]: the knocker's groups; empty: the engine's arrangement.
    #[serde(default)]
    pub knocker_melds: Vec<CardSet>,
}

const fn stock() -> Pile {
    Pile::Stock
}

/// A position that no hand can be in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct InvalidPosition {
    /// The field of [`Position`] or [`SeatPosition`](crate::SeatPosition).
    pub field: &'static str,
    pub problem: String,
}

pub(super) fn invalid<T>(
    field: &'static str,
    problem: impl Into<String>,
) -> Result<T, InvalidPosition> {
    Err(InvalidPosition {
        field,
        problem: problem.into(),
    })
}

impl Hand {
    /// Sets a hand up.
    ///
    /// # Errors
    /// [`InvalidPosition`] names the field that is impossible, alone or beside the others.
    pub fn from_position(rules: &Rules, position: &Position) -> Result<Self, InvalidPosition> {
        if position.phase == Phase::Over {
            return invalid("phase", "is over: a hand is set up where somebody acts");
        }
        check_cards(position)?;
        check_phase(rules, position)?;
        let Some(upcard) = position.upcard.or(position.discard_pile.first().copied()) else {
            return invalid("upcard", "is needed where the discard pile is empty");
        };
        let mut hand = Self {
            rules: *rules,
            dealer: position.dealer,
            upcard,
            phase: position.phase,
            to_act: position.to_act,
            hands: position.hands,
            stock: position.stock.iter().rev().copied().collect(),
            discard_pile: position.discard_pile.iter().copied().collect(),
            must_draw_stock: position.must_draw_stock,
            drawn: position.drawn.map(|card| (card, position.drawn_from)),
            must_knock: took_last_chance(position),
            known: [CardSet::EMPTY; 2],
            turns: Turns::default(),
            last_actions: [None; 2],
            last_actor: None,
            showdown: None,
            result: None,
        };
        if let Some(taken) = hand.just_taken() {
            hand.known[position.to_act.index()].insert(taken);
        }
        if position.phase == Phase::Layoff {
            hand.set_up_showdown(position)?;
        }
        if hand.must_knock && hand.legal_actions(position.to_act).is_empty() {
            return invalid(
                "drawn_from",
                "has to be the stock: the last discard is taken to knock, and these cards allow none",
            );
        }
        Ok(hand)
    }

    /// Where the hand stands; `None` once it is over.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        let melds = self
            .showdown
            .iter()
            .flat_map(|s| s.melds.iter().map(|meld| meld.cards()));
        Some(Position {
            dealer: self.dealer,
            phase: self.phase,
            to_act: self.to_act()?,
            hands: self.hands,
            stock: self.stock.iter().rev().copied().collect(),
            discard_pile: self.discard_pile.to_vec(),
            upcard: Some(self.upcard),
            must_draw_stock: self.must_draw_stock,
            drawn: self.drawn.map(|(card, _)| card),
            drawn_from: self.drawn.map_or(Pile::Stock, |(_, pile)| pile),
            knocker_melds: melds.collect(),
        })
    }

    fn set_up_showdown(&mut self, position: &Position) -> Result<(), InvalidPosition> {
        let knocker = position.to_act.opponent();
        let cards = self.cards(knocker);
        let arrangement = if position.knocker_melds.is_empty() {
            best_arrangement(cards)
        } else {
            declared_arrangement(cards, &position.knocker_melds)
                .or_else(|problem| invalid("knocker_melds", problem.to_string()))?
        };
        let Arrangement {
            melds,
            deadwood,
            deadwood_points,
        } = arrangement;
        let limit = self.knock_limit();
        let (kind, allowed, discard) = match (cards.len(), deadwood_points) {
            (11, points) => (KnockKind::BigGin, points == 0, None),
            (_, 0) => (KnockKind::Gin, true, self.discard_pile.last().copied()),
            (_, points) => (
                KnockKind::Knock,
                points <= limit,
                self.discard_pile.last().copied(),
            ),
        };
        if kind == KnockKind::BigGin && !self.rules.big_gin {
            return invalid("hands", "hold ten cards after a knock: big gin is off");
        }
        if !allowed {
            let problem = format!("leave {deadwood_points} deadwood points: at most {limit}");
            return invalid("knocker_melds", problem);
        }
        if kind != KnockKind::Knock && !self.rules.layoff_on_gin {
            return invalid(
                "phase",
                "is not layoff: nothing is laid off after gin or big gin",
            );
        }
        let showdown = Showdown {
            seat: knocker,
            kind,
            melds,
            deadwood,
            deadwood_points,
            discard,
        };
        self.showdown = Some(Box::new(showdown));
        self.note(knocker, super::LastAction::Knocked);
        Ok(())
    }
}

/// All 52 cards, each once, hands of the right size, piles that fit.
fn check_cards(position: &Position) -> Result<(), InvalidPosition> {
    let mut seen = CardSet::EMPTY;
    let places = [
        ("hands", position.hands[0].into_iter().collect::<Vec<_>>()),
        ("hands", position.hands[1].into_iter().collect()),
        ("stock", position.stock.clone()),
        ("discard_pile", position.discard_pile.clone()),
    ];
    for (field, cards) in places {
        for card in cards {
            if seen.contains(card) {
                return invalid(
                    field,
                    format!("{card} is there twice: each card is in one place"),
                );
            }
            seen.insert(card);
        }
    }
    if let Some(card) = (CardSet::ALL - seen).first() {
        return invalid(
            "stock",
            format!("{card} is missing: all 52 cards are needed"),
        );
    }
    let to_act = position.to_act;
    let eleven = match position.phase {
        Phase::Discard => Some(to_act),
        Phase::Layoff if position.hands[to_act.opponent().index()].len() == 11 => {
            Some(to_act.opponent())
        }
        _ => None,
    };
    for seat in Seat::BOTH {
        let expected = if eleven == Some(seat) { 11 } else { 10 };
        let held = position.hands[seat.index()].len();
        if held != expected {
            let problem = format!(
                "seat {} holds {held} cards: {expected} expected",
                seat.number()
            );
            return invalid("hands", problem);
        }
    }
    Ok(())
}

/// With two cards left in the stock a pile card is taken at the last chance alone.
fn took_last_chance(position: &Position) -> bool {
    position.phase == Phase::Discard
        && position.drawn_from == Pile::Discard
        && position.stock.len() <= WALL
}

/// What the phase asks for.
fn check_phase(rules: &Rules, position: &Position) -> Result<(), InvalidPosition> {
    let Position {
        phase,
        to_act,
        stock,
        discard_pile,
        ..
    } = position;
    let full_stock = discard_pile.len() == 1;
    match phase {
        Phase::Upcard if !rules.upcard_offer => {
            return invalid("phase", "is upcard: the rules have no upcard offer");
        }
        Phase::Upcard if !full_stock => {
            return invalid("discard_pile", "holds the upcard alone while it is offered");
        }
        Phase::Draw if stock.len() <= WALL => {
            return invalid("stock", "holds more than two cards when one is drawn");
        }
        Phase::LastChance if stock.len() != WALL => {
            return invalid("stock", "holds two cards at the last chance");
        }
        Phase::LastChance if rules.wall != Wall::LastChance => {
            return invalid("phase", "is last_chance: the rules have no such wall");
        }
        Phase::Layoff if rules.layoffs == MeldChoice::Auto => {
            return invalid("phase", "is layoff: the rules lay off by themselves");
        }
        Phase::Discard if took_last_chance(position) && rules.wall != Wall::LastChance => {
            return invalid(
                "drawn_from",
                "has to be the stock: the rules have no last chance",
            );
        }
        Phase::Discard | Phase::Layoff if stock.len() < WALL => {
            return invalid("stock", "holds at least two cards");
        }
        _ => {}
    }
    if *phase == Phase::Discard && discard_pile.is_empty() {
        // Whoever took the upcard holds it, and every discard since was taken too.
        let held = position.hands[0] | position.hands[1];
        let was_taken = position.upcard.is_none_or(|upcard| held.contains(upcard));
        if position.drawn_from != Pile::Discard || !was_taken {
            return invalid("discard_pile", "is empty only after the upcard was taken");
        }
    }
    // The taken upcard is the eleventh card of a hand, and stays in it for big gin alone.
    if discard_pile.is_empty() && position.hands.iter().all(|hand| hand.len() == 10) {
        return invalid("discard_pile", "is empty only after the upcard was taken");
    }
    let refused =
        *phase == Phase::Draw && full_stock && *to_act != position.dealer && rules.upcard_offer;
    if position.must_draw_stock && !refused {
        return invalid(
            "must_draw_stock",
            "holds for the non-dealer's draw after both refused the upcard",
        );
    }
    let on_offer = *phase == Phase::Upcard || position.must_draw_stock;
    if on_offer
        && position
            .upcard
            .is_some_and(|card| discard_pile.first() != Some(&card))
    {
        return invalid("upcard", "lies on the pile until somebody takes it");
    }
    match (phase, position.drawn) {
        (Phase::Discard, Some(card)) if position.hands[to_act.index()].contains(card) => Ok(()),
        (Phase::Discard, Some(card)) => invalid("drawn", format!("{card} is not in the hand")),
        (Phase::Discard, None) => invalid("drawn", "is needed in the discard phase"),
        (_, Some(_)) => invalid("drawn", "is for the discard phase alone"),
        (_, None) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Overrides;
    use crate::ruleset::Ruleset;

    fn position(phase: Phase, hands: [&str; 2], discard_pile: &[&str]) -> Position {
        let hands = hands.map(|text| text.parse().unwrap());
        let discard_pile: Vec<Card> = discard_pile.iter().map(|c| c.parse().unwrap()).collect();
        let open: CardSet = discard_pile.iter().copied().collect();
        Position {
            dealer: Seat::Two,
            phase,
            to_act: Seat::One,
            hands,
            stock: (CardSet::ALL - hands[0] - hands[1] - open)
                .into_iter()
                .collect(),
            discard_pile,
            upcard: Some(Card::DECK[0]),
            must_draw_stock: false,
            drawn: None,
            drawn_from: Pile::Discard,
            knocker_melds: Vec::new(),
        }
    }

    fn refused(position: &Position) -> &'static str {
        let overrides = Overrides {
            layoffs: Some(MeldChoice::Either),
            wall: Some(Wall::LastChance),
            ..Overrides::default()
        };
        let rules = Ruleset::named("kawu").unwrap().with(overrides).unwrap();
        Hand::from_position(&rules, position).unwrap_err().field
    }

    #[test]
    fn a_knock_card_lies_on_the_pile() {
        let knocker = "AC 2C 3C 4D 4H 4S 5H 6H 7H AD";
        let hands = ["KC KD KH QC QD QH 9C 9D 9H 8C", knocker];
        assert_eq!(
            refused(&position(Phase::Layoff, hands, &[])),
            "discard_pile"
        );
    }

    #[test]
    fn the_last_discard_is_taken_only_where_a_knock_follows() {
        let hopeless = "AC 3C 5C 7C 9C JC KC 2D 4D 6D 8D";
        let hands = [hopeless, "AH 3H 5H 7H 9H JH KH 2S 4S 6S"];
        let mut position = position(Phase::Discard, hands, &[]);
        position.discard_pile = position.stock.split_off(2);
        position.drawn = position.hands[0].first();
        assert_eq!(refused(&position), "drawn_from");
    }
}
