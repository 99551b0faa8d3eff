//! A hand from what one seat knows of it: for advice on a position met elsewhere.

use serde::{Deserialize, Serialize};

use super::setup::invalid;
use super::{Hand, InvalidPosition, Position};
use crate::action::{Phase, Pile};
use crate::card::Card;
use crate::card_set::CardSet;
use crate::rules::Rules;
use crate::seat::Seat;

/// Where a hand stands for the seat to act: its own cards and what lies open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatPosition {
    /// Whose decision it is, and who knows the following.
    pub seat: Seat,
    pub dealer: Seat,
    pub phase: Phase,
    /// Ten cards, eleven in [`Phase::Discard`].
    pub hand: CardSet,
    /// The whole pile, bottom to top; the knock card is on top.
    pub discard_pile: Vec<Card>,
    /// Seen to be taken from the pile by the opponent, who still holds them; in
    /// [`Phase::Layoff`] all that the knocker has laid open.
    #[serde(default)]
    pub known_of_opponent: CardSet,
    /// Cards left to draw; unset: those that are nowhere else.
    #[serde(default)]
    pub stock_count: Option<usize>,
    /// The card turned up at the deal; unset: the pile's bottom card. Sets the Oklahoma limit. One
    /// that lies nowhere else is with the opponent, who took it.
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

impl Hand {
    /// Sets a hand up from what the seat to act knows; the cards that it does not see lie in card
    /// order, first the opponent's, then the stock's. The seat's [`SeatView`](crate::SeatView)
    /// tells nothing of them.
    ///
    /// # Errors
    /// [`InvalidPosition`] names the field that is impossible, alone or beside the others.
    ///
    /// ```
    /// use ginrummy_engine::{Card, CardSet, Hand, Phase, Pile, Ruleset, Seat, SeatPosition, SeatView};
    /// let position = SeatPosition {
    ///     seat: Seat::One,
    ///     dealer: Seat::Two,
    ///     phase: Phase::Draw,
    ///     hand: "AS 2S 3S 8C 8D 8H TC JC QC KD".parse().unwrap(),
    ///     discard_pile: vec!["4S".parse().unwrap()],
    ///     known_of_opponent: CardSet::EMPTY,
    ///     stock_count: None,
    ///     upcard: None,
    ///     must_draw_stock: false,
    ///     drawn: None,
    ///     drawn_from: Pile::Stock,
    ///     knocker_melds: Vec::new(),
    /// };
    /// let rules = Ruleset::named("solo").unwrap().rules;
    /// let hand = Hand::from_seat_position(&rules, &position).unwrap();
    /// assert_eq!(SeatView::new(&hand, Seat::One).stock_len(), 31);
    /// ```
    pub fn from_seat_position(
        rules: &Rules,
        position: &SeatPosition,
    ) -> Result<Self, InvalidPosition> {
        let opponents = position.count_of_opponent();
        check_open_cards(position, opponents)?;
        let known = position.known_of_opponent | position.upcard_of_opponent();
        if known.len() > opponents {
            return invalid(
                "upcard",
                "is neither open nor among the cards of the players",
            );
        }
        let mut hidden = (CardSet::ALL - position.open_cards() - known).into_iter();
        let missing = opponents - known.len();
        let mut hands = [position.hand; 2];
        hands[position.seat.opponent().index()] = known | hidden.by_ref().take(missing).collect();
        let whole = Position {
            dealer: position.dealer,
            phase: position.phase,
            to_act: position.seat,
            hands,
            stock: hidden.collect(),
            discard_pile: position.discard_pile.clone(),
            upcard: position.upcard,
            must_draw_stock: position.must_draw_stock,
            drawn: position.drawn,
            drawn_from: position.drawn_from,
            knocker_melds: position.knocker_melds.clone(),
        };
        let mut hand = Self::from_position(rules, &whole)?;
        hand.known[position.seat.opponent().index()] = known;
        Ok(hand)
    }
}

impl SeatPosition {
    /// Ten cards, or the eleven of big gin.
    fn count_of_opponent(&self) -> usize {
        if self.phase == Phase::Layoff && self.known_of_opponent.len() > 10 {
            11
        } else {
            10
        }
    }

    /// The upcard, if it lies nowhere else: who took it has it still. A knock card may lie face down.
    fn upcard_of_opponent(&self) -> CardSet {
        let elsewhere =
            |card: &Card| self.phase != Phase::Layoff && !self.open_cards().contains(*card);
        self.upcard.filter(elsewhere).into_iter().collect()
    }

    fn open_cards(&self) -> CardSet {
        let pile: CardSet = self.discard_pile.iter().copied().collect();
        self.hand | pile | self.known_of_opponent
    }
}

/// What is said of the seat's own view; the rest is the same as in any position.
fn check_open_cards(position: &SeatPosition, opponents: usize) -> Result<(), InvalidPosition> {
    let expected = if position.phase == Phase::Discard {
        11
    } else {
        10
    };
    if position.hand.len() != expected {
        let problem = format!("holds {} cards: {expected} expected", position.hand.len());
        return invalid("hand", problem);
    }
    let mut seen = position.hand;
    let piles = [
        ("discard_pile", position.discard_pile.clone()),
        (
            "known_of_opponent",
            position.known_of_opponent.into_iter().collect(),
        ),
    ];
    for (field, cards) in piles {
        for card in cards {
            if seen.contains(card) {
                let problem = format!("{card} is there twice: each card is in one place");
                return invalid(field, problem);
            }
            seen.insert(card);
        }
    }
    let known = position.known_of_opponent.len();
    if known > opponents || (position.phase == Phase::Layoff && known < opponents) {
        let problem = format!("are {known} cards: {opponents} expected");
        return invalid("known_of_opponent", problem);
    }
    let elsewhere = position.hand.len() + opponents + position.discard_pile.len();
    let stock = 52usize.saturating_sub(elsewhere);
    if position.stock_count.is_some_and(|count| count != stock) {
        let problem = format!(
            "is {stock} beside a pile of {}: the whole pile is needed",
            position.discard_pile.len()
        );
        return invalid("stock_count", problem);
    }
    if elsewhere > 52 {
        return invalid("discard_pile", "holds more cards than the deck has");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruleset::Ruleset;

    fn position() -> SeatPosition {
        SeatPosition {
            seat: Seat::Two,
            dealer: Seat::One,
            phase: Phase::Draw,
            hand: "AS 2S 3S 8C 8D 8H TC JC QC KD".parse().unwrap(),
            discard_pile: vec!["4S".parse().unwrap(), "KC".parse().unwrap()],
            known_of_opponent: "9H TH".parse().unwrap(),
            stock_count: Some(30),
            upcard: None,
            must_draw_stock: false,
            drawn: None,
            drawn_from: Pile::Stock,
            knocker_melds: Vec::new(),
        }
    }

    fn refused(change: impl FnOnce(&mut SeatPosition)) -> &'static str {
        let mut position = position();
        change(&mut position);
        let rules = Ruleset::named("solo").unwrap().rules;
        Hand::from_seat_position(&rules, &position)
            .unwrap_err()
            .field
    }

    #[test]
    fn what_the_seat_knows_is_what_its_view_tells() {
        let rules = Ruleset::named("solo").unwrap().rules;
        let hand = Hand::from_seat_position(&rules, &position()).unwrap();
        let view = crate::SeatView::new(&hand, Seat::Two);
        assert_eq!(view.cards(), position().hand);
        assert_eq!(view.known_of_opponent(), position().known_of_opponent);
        assert_eq!(view.discard_pile(), position().discard_pile);
        assert_eq!((view.stock_len(), view.to_act()), (30, Some(Seat::Two)));
        assert!(view.turns().is_empty());
    }

    #[test]
    fn the_field_that_is_impossible_is_named() {
        let card = |text: &str| text.parse::<Card>().unwrap();
        assert_eq!(refused(|p| p.hand.remove(card("KD"))), "hand");
        assert_eq!(refused(|p| p.phase = Phase::Discard), "hand");
        assert_eq!(refused(|p| p.discard_pile.push(card("KD"))), "discard_pile");
        assert_eq!(
            refused(|p| p.known_of_opponent.insert(card("4S"))),
            "known_of_opponent"
        );
        assert_eq!(
            refused(|p| p.known_of_opponent = "4C 5C 6C 7C 4D 5D 6D 7D 4H 5H 6H".parse().unwrap()),
            "known_of_opponent"
        );
        assert_eq!(refused(|p| p.phase = Phase::Layoff), "known_of_opponent");
        assert_eq!(refused(|p| p.stock_count = Some(31)), "stock_count");
        assert_eq!(refused(|p| p.discard_pile.clear()), "stock_count");
        assert_eq!(refused(|p| p.phase = Phase::Over), "phase");
        assert_eq!(refused(|p| p.phase = Phase::LastChance), "stock");
        assert_eq!(refused(|p| p.must_draw_stock = true), "must_draw_stock");
        assert_eq!(refused(|p| p.drawn = Some(card("KD"))), "drawn");
    }
}
