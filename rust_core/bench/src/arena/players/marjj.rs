//! A player in the style of MARJJ, the winner of the EAAI-2021 Gin Rummy challenge.
//!
//! Written from what is published about it (Ahmed et al., AAAI-21, doi 10.1609/aaai.v35i17.17820,
//! and the descriptions of its later version 5): it takes the open card when that lands in a meld
//! and lowers the deadwood; it discards the best of the seven discards of least deadwood, weighing
//! deadwood, what the hand could still become, and what the opponent could make of the card; of its
//! own accord it knocks on its first three turns alone, and plays for gin from then on; a knock
//! shows the melds that invite the fewest layoffs. What is not published is chosen here, and tested
//! by the strength that is published: three games of four against the challenge's simple player.

use std::cmp::Reverse;

use ginrummy_engine::{
    Action, Card, CardSet, Event, Phase, Pile, PricedDiscard, Seat, SeatView, best_discard,
    deadwood, minimal_arrangements, price_discards,
};

use super::{Deal, Player};

/// Points of a hand that one more draw will not better, on the first turn,
const PROSPECTS: f64 = 18.0;
/// and on each later turn this share of it.
const FADING: f64 = 0.9;
/// So many discards of least deadwood are weighed.
const WEIGHED: usize = 7;
/// Turns on which it knocks of its own accord.
const KNOCKING_TURNS: i32 = 3;
/// Points of one meld that the opponent could make of the discard.
const DANGER: f64 = 4.5;

/// The player; remembers its turns of this hand.
#[derive(Default)]
pub struct Marjj {
    seat: Option<Seat>,
    /// Draws so far: 1 on the first turn.
    turn: i32,
    /// Where it drew, so that two players who take each other's discards come to an end.
    drawn_at: Vec<(CardSet, usize, usize)>,
}

impl Player for Marjj {
    fn sit_down(&mut self, seat: Seat, _: &Deal<'_>) {
        *self = Self {
            seat: Some(seat),
            ..Self::default()
        };
    }

    fn see(&mut self, event: &Event) {
        if matches!(event, Event::CardDrawn { seat, .. } if Some(*seat) == self.seat) {
            self.turn += 1;
        }
    }

    fn decide(&mut self, view: &SeatView<'_>) -> Action {
        match view.phase() {
            Phase::Upcard if improves(view) => draw(Pile::Discard),
            Phase::Draw if view.must_draw_stock() => draw(Pile::Stock),
            Phase::Draw if self.is_new_here(view) && improves(view) => draw(Pile::Discard),
            Phase::Draw => draw(Pile::Stock),
            Phase::Discard => self.knock_or_discard(view),
            Phase::Layoff => Action::lay_off_best(),
            Phase::Upcard | Phase::LastChance | Phase::Over => Action::Pass,
        }
    }
}

impl Marjj {
    fn is_new_here(&mut self, view: &SeatView<'_>) -> bool {
        let here = (view.cards(), view.discard_pile().len(), view.stock_len());
        let is_new = !self.drawn_at.contains(&here);
        self.drawn_at.push(here);
        is_new
    }

    fn knock_or_discard(&self, view: &SeatView<'_>) -> Action {
        let least = best_discard(view.cards(), view.barred_discard());
        let knocks = self.turn <= KNOCKING_TURNS && least.deadwood_points <= view.knock_limit();
        if knocks || least.deadwood_points == 0 {
            return Action::Knock {
                discard: least.card,
                melds: safest_melds(view, least.card),
            };
        }
        let best = Weighed::discards(view, self.turn)
            .into_iter()
            .min_by(|a, b| a.score().total_cmp(&b.score()))
            .expect("an eleven-card hand has a discard");
        Action::Discard { card: best.card }
    }
}

/// A discard and what speaks for and against it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weighed {
    pub card: Card,
    /// Deadwood points of the ten cards that stay.
    pub deadwood: f64,
    /// How little one more draw is likely to better the ten cards, in points.
    pub prospects: f64,
    /// What the opponent could make of it, in points.
    pub danger: f64,
}

impl Weighed {
    /// The discards worth weighing, of least deadwood first.
    #[must_use]
    pub fn discards(view: &SeatView<'_>, turn: i32) -> Vec<Self> {
        let hand = view.cards();
        let unseen = unseen(view);
        let mut prices = price_discards(hand, view.barred_discard());
        prices.sort_by_key(|price| (price.deadwood_points, Reverse(price.card.rank())));
        let weight = PROSPECTS * FADING.powi(turn - 1);
        prices
            .iter()
            .take(WEIGHED)
            .map(
                |&PricedDiscard {
                     card,
                     deadwood_points,
                 }| Self {
                    card,
                    deadwood: f64::from(deadwood_points),
                    prospects: weight * share_that_stays(hand.without(card), unseen),
                    danger: DANGER * melds_of_opponent(card, view.known_of_opponent(), unseen),
                },
            )
            .collect()
    }

    /// The lower, the better.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.deadwood + self.prospects + self.danger
    }
}

/// The cards that this seat cannot place: in the stock, or unknown with the opponent.
fn unseen(view: &SeatView<'_>) -> CardSet {
    let open: CardSet = view.discard_pile().iter().copied().collect();
    CardSet::ALL - view.cards() - view.known_of_opponent() - open
}

/// The share of these ten cards' deadwood that is to be expected after one more draw and the best
/// discard.
fn share_that_stays(held: CardSet, unseen: CardSet) -> f64 {
    let after_draw = |card| best_discard(held.with(card), None).deadwood_points;
    let points: u32 = unseen.into_iter().map(after_draw).sum();
    let mean = f64::from(points) / count(unseen.len().max(1));
    mean / f64::from(deadwood(held).max(1))
}

/// Whether the card makes a meld with cards of this hand.
fn joins_a_meld(held: CardSet, card: Card) -> bool {
    melds_with(card).any(|others| others.is_subset(held))
}

/// How many melds of three with this card the opponent is to be expected to hold the rest of.
fn melds_of_opponent(card: Card, known: CardSet, unseen: CardSet) -> f64 {
    let hidden = count(10 - known.len().min(10));
    let chance = hidden / count(unseen.len().max(1));
    melds_with(card)
        .filter(|others| others.is_subset(known | unseen))
        .map(|others| {
            let guessed = i32::try_from((others - known).len()).expect("two at most");
            chance.powi(guessed)
        })
        .sum()
}

/// The other two cards of each meld of three that holds this one.
fn melds_with(card: Card) -> impl Iterator<Item = CardSet> {
    let of_rank: Vec<Card> = (CardSet::of_rank(card.rank()).without(card))
        .into_iter()
        .collect();
    let sets = [(0, 1), (0, 2), (1, 2)].map(|(a, b)| CardSet::from_iter([of_rank[a], of_rank[b]]));
    let beyond = |step: fn(Card) -> Option<Card>| {
        let near = step(card);
        (near, near.and_then(step))
    };
    let (below, two_below) = beyond(Card::below);
    let (above, two_above) = beyond(Card::above);
    let runs = [(two_below, below), (below, above), (above, two_above)];
    sets.into_iter().chain(
        runs.into_iter()
            .filter_map(|(a, b)| Some(CardSet::from_iter([a?, b?]))),
    )
}

/// Whether the open card lands in a meld and lowers the deadwood.
fn improves(view: &SeatView<'_>) -> bool {
    let held = view.cards();
    view.top_discard().is_some_and(|card| {
        joins_a_meld(held, card)
            && best_discard(held.with(card), Some(card)).deadwood_points < deadwood(held)
    })
}

/// The melds of least deadwood that the fewest points could be laid off on.
fn safest_melds(view: &SeatView<'_>, discard: Card) -> Vec<CardSet> {
    let held = view.cards().without(discard);
    let could_be_his = unseen(view) | view.known_of_opponent();
    let safest = minimal_arrangements(held)
        .into_iter()
        .min_by_key(|arrangement| {
            let melds = arrangement.melds.iter();
            let exposed = melds.fold(CardSet::EMPTY, |all, meld| all | meld.extensions());
            (exposed & could_be_his).points()
        })
        .expect("every hand has an arrangement");
    safest.melds.iter().map(|meld| meld.cards()).collect()
}

const fn draw(pile: Pile) -> Action {
    Action::Draw { pile }
}

fn count(cards: usize) -> f64 {
    u32::try_from(cards).map_or(f64::INFINITY, f64::from)
}
