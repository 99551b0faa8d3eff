//! One hand, from the deal to its score, as a state machine.

mod discards;
mod score;
mod seat_position;
mod setup;
mod showdown;
mod turns;

use arrayvec::ArrayVec;

pub use discards::{DiscardOption, DiscardOptions, discards_best_first};
pub use score::{HandScore, score_hand};
pub use seat_position::SeatPosition;
pub use setup::{InvalidPosition, Position};
pub use turns::Turn;

use turns::Turns;

use crate::action::{Action, Phase, Pile, Violation};
use crate::card::{Card, Rank, Suit};
use crate::card_set::CardSet;
use crate::deal::Deck;
use crate::event::{Event, HandResult, Outcome, Showdown};
use crate::rules::{Oklahoma, Rules, Wall};
use crate::seat::Seat;

/// What one action causes within a hand.
pub type HandEvents = ArrayVec<Event, 2>;

/// A discard that leaves this many cards in the stock or fewer ends the hand.
pub(crate) const WALL: usize = 2;

/// One deal: [`apply`](Self::apply) and [`time_out`](Self::time_out) are its only mutations.
///
/// ```
/// use ginrummy_engine::{Action, Hand, Phase, Ruleset, Seat, Seed};
/// let rules = Ruleset::named("short").unwrap().rules;
/// let mut hand = Hand::deal(&rules, &Seed::new([0; 32]).deck(1), Seat::One);
/// assert_eq!((hand.phase(), hand.to_act()), (Phase::Upcard, Some(Seat::Two)));
/// hand.apply(Seat::Two, &Action::Pass).unwrap();
/// assert_eq!(hand.to_act(), Some(Seat::One));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hand {
    rules: Rules,
    dealer: Seat,
    upcard: Card,
    phase: Phase,
    to_act: Seat,
    hands: [CardSet; 2],
    /// The top is last.
    stock: ArrayVec<Card, 31>,
    /// The top is last.
    discard_pile: ArrayVec<Card, 32>,
    /// Both players refused the upcard and the non-dealer has not drawn yet.
    must_draw_stock: bool,
    /// The card drawn in this turn and where it came from.
    drawn: Option<(Card, Pile)>,
    /// The wall's last discard was taken: only a knock or big gin may follow.
    must_knock: bool,
    /// Taken from the discard pile and still held.
    known: [CardSet; 2],
    turns: Turns,
    last_actions: [Option<LastAction>; 2],
    /// Who acted last in this hand.
    last_actor: Option<Seat>,
    showdown: Option<Box<Showdown>>,
    result: Option<Box<HandResult>>,
}

/// A player's latest action, as far as it needs remembering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastAction {
    Passed,
    Drew(Pile, Card),
    Discarded(Card),
    Knocked,
    LaidOff,
}

impl Hand {
    /// Deals ten cards each, one at a time from the non-dealer on, and turns the next one up.
    #[must_use]
    pub fn deal(rules: &Rules, deck: &Deck, dealer: Seat) -> Self {
        let mut hands = [CardSet::EMPTY; 2];
        for (i, card) in deck[..20].iter().enumerate() {
            let seat = if i % 2 == 0 {
                dealer.opponent()
            } else {
                dealer
            };
            hands[seat.index()].insert(*card);
        }
        Self {
            rules: *rules,
            dealer,
            upcard: deck[20],
            phase: if rules.upcard_offer {
                Phase::Upcard
            } else {
                Phase::Draw
            },
            to_act: dealer.opponent(),
            hands,
            stock: deck[21..].iter().rev().copied().collect(),
            discard_pile: ArrayVec::from_iter([deck[20]]),
            must_draw_stock: false,
            drawn: None,
            must_knock: false,
            known: [CardSet::EMPTY; 2],
            turns: Turns::default(),
            last_actions: [None; 2],
            last_actor: None,
            showdown: None,
            result: None,
        }
    }

    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    #[must_use]
    pub const fn dealer(&self) -> Seat {
        self.dealer
    }

    /// The card turned up at the deal.
    #[must_use]
    pub const fn upcard(&self) -> Card {
        self.upcard
    }

    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Whose decision the hand waits for; `None` when it is over.
    #[must_use]
    pub fn to_act(&self) -> Option<Seat> {
        (self.phase != Phase::Over).then_some(self.to_act)
    }

    /// The cards a seat holds: hidden from everybody else. See [`SeatView`](crate::SeatView).
    #[must_use]
    pub const fn cards(&self, seat: Seat) -> CardSet {
        self.hands[seat.index()]
    }

    /// Cards left to draw.
    #[must_use]
    pub fn stock_len(&self) -> usize {
        self.stock.len()
    }

    /// Bottom to top.
    #[must_use]
    pub fn discard_pile(&self) -> &[Card] {
        &self.discard_pile
    }

    /// The knocker's cards once somebody has knocked.
    #[must_use]
    pub fn showdown(&self) -> Option<&Showdown> {
        self.showdown.as_deref()
    }

    /// Set once the hand is over.
    #[must_use]
    pub fn result(&self) -> Option<&HandResult> {
        self.result.as_deref()
    }

    /// Most deadwood points a knock may leave in this hand.
    #[must_use]
    pub fn knock_limit(&self) -> u32 {
        let of_upcard = match (self.rules.oklahoma, self.upcard.rank()) {
            (Oklahoma::Off, _) => return self.rules.knock_limit,
            (Oklahoma::AceIsGin, Rank::Ace) => 0,
            _ => self.upcard.points(),
        };
        of_upcard.min(self.rules.knock_limit)
    }

    /// A spade upcard doubles this hand's points.
    #[must_use]
    pub fn points_doubled(&self) -> bool {
        self.rules.spades_double && self.upcard.suit() == Suit::Spades
    }

    /// The card that may not be discarded in this turn: just taken from the discard pile.
    #[must_use]
    pub fn barred_discard(&self) -> Option<Card> {
        self.just_taken()
            .filter(|_| !self.rules.allow_discard_taken)
    }

    pub(crate) fn just_taken(&self) -> Option<Card> {
        self.drawn
            .and_then(|(card, pile)| (pile == Pile::Discard).then_some(card))
    }

    pub(crate) const fn drawn(&self) -> Option<(Card, Pile)> {
        self.drawn
    }

    pub(crate) const fn must_draw_stock(&self) -> bool {
        self.must_draw_stock
    }

    pub(crate) const fn must_knock(&self) -> bool {
        self.must_knock
    }

    pub(crate) const fn known(&self, seat: Seat) -> CardSet {
        self.known[seat.index()]
    }

    /// What everybody saw of this hand so far; nothing of what went before a position set up.
    pub(crate) fn turns(&self) -> &[Turn] {
        self.turns.as_slice()
    }

    /// The hand with other cards where `seat` sees none, and nothing left of who did what: the
    /// opponent's cards, and the stock from its top on.
    pub(crate) fn with_hidden(&self, seat: Seat, opponents: CardSet, stock: &[Card]) -> Self {
        let mut hands = self.hands;
        hands[seat.opponent().index()] = opponents;
        Self {
            hands,
            stock: stock.iter().rev().copied().collect(),
            turns: Turns::default(),
            last_actions: [None; 2],
            showdown: self.showdown.clone(),
            result: self.result.clone(),
            discard_pile: self.discard_pile.clone(),
            ..*self
        }
    }

    /// The event that reported the seat's latest action in this hand.
    pub(crate) fn last_action(&self, seat: Seat) -> Option<Event> {
        Some(match self.last_actions[seat.index()]? {
            LastAction::Passed => Event::Passed { seat },
            LastAction::Drew(pile, card) => Event::CardDrawn {
                seat,
                pile,
                card: Some(card),
            },
            LastAction::Discarded(card) => Event::CardDiscarded {
                seat,
                card: Some(card),
            },
            LastAction::Knocked => Event::Knocked(self.showdown.clone()?),
            LastAction::LaidOff => Event::LaidOff(Box::new(self.laid_off(seat)?)),
        })
    }

    /// Who acted last in this hand.
    pub(crate) const fn last_actor(&self) -> Option<Seat> {
        self.last_actor
    }

    fn note(&mut self, seat: Seat, action: LastAction) {
        self.last_actions[seat.index()] = Some(action);
        self.last_actor = Some(seat);
    }

    /// Plays one action of a seat.
    ///
    /// # Errors
    /// The first rule in the order of the rules' refusals that forbids it; nothing has changed.
    pub fn apply(&mut self, seat: Seat, action: &Action) -> Result<HandEvents, Violation> {
        if let Some(result) = &self.result {
            let gin = matches!(result.outcome, Outcome::Gin | Outcome::BigGin);
            let is_layoff = matches!(action, Action::LayOff { .. });
            return Err(if gin && is_layoff && !self.rules.layoff_on_gin {
                Violation::NoLayoffAfterGin
            } else {
                Violation::HandOver
            });
        }
        if seat != self.to_act {
            return Err(Violation::NotYourTurn {
                to_act: self.to_act,
            });
        }
        match (self.phase, action) {
            (Phase::Upcard | Phase::LastChance, Action::Pass) => Ok(self.pass(seat)),
            (Phase::Draw, Action::Pass) => Err(Violation::NoPass),
            (Phase::Draw, Action::Draw { pile: Pile::Stock }) => Ok(self.draw_stock(seat)),
            (
                Phase::Draw,
                Action::Draw {
                    pile: Pile::Discard,
                },
            ) if self.must_draw_stock => Err(Violation::MustDrawStock),
            (
                Phase::LastChance,
                Action::Draw {
                    pile: Pile::Discard,
                },
            ) if !self.last_chance_allows_knock() => Err(Violation::NoLastChance),
            (
                Phase::Upcard | Phase::Draw | Phase::LastChance,
                Action::Draw {
                    pile: Pile::Discard,
                },
            ) => Ok(self.take_discard(seat)),
            (Phase::Discard, Action::Discard { .. }) if self.must_knock => {
                Err(Violation::MustKnock)
            }
            (Phase::Discard, Action::Discard { card }) => self.discard(seat, *card),
            (Phase::Discard, Action::Knock { discard, melds }) => self.knock(seat, *discard, melds),
            (Phase::Discard, Action::BigGin { melds }) => self.big_gin(seat, melds),
            (Phase::Layoff, Action::LayOff { melds, layoffs }) => {
                self.lay_off(seat, melds, layoffs)
            }
            _ => Err(Violation::WrongPhase { phase: self.phase }),
        }
    }

    /// Plays for the seat to act when its time has run out: passes an offered upcard or the last
    /// chance; draws from the stock if it has not drawn, and discards the best discard; lays off
    /// the joint best. It never knocks: after taking the wall's last discard the hand is dead.
    pub fn time_out(&mut self) -> HandEvents {
        let seat = self.to_act;
        match self.phase {
            Phase::Over => HandEvents::new(),
            Phase::Upcard | Phase::LastChance => self.pass(seat),
            Phase::Draw => {
                let mut events = self.draw_stock(seat);
                let best = self.best_discard(seat).card;
                events.extend(self.put_down(seat, best));
                events
            }
            Phase::Discard if self.must_knock => {
                self.end_dead();
                HandEvents::new()
            }
            Phase::Discard => {
                let best = self.best_discard(seat).card;
                self.put_down(seat, best)
            }
            Phase::Layoff => {
                let defence = self.auto_defence(seat);
                self.end_with_layoffs(seat, defence)
            }
        }
    }

    fn pass(&mut self, seat: Seat) -> HandEvents {
        self.note(seat, LastAction::Passed);
        self.turns.begin(seat, self.offered(), None);
        if self.phase == Phase::LastChance {
            self.end_dead();
        } else {
            self.to_act = seat.opponent();
            if seat == self.dealer {
                self.phase = Phase::Draw;
                self.must_draw_stock = true;
            }
        }
        HandEvents::from_iter([Event::Passed { seat }])
    }

    /// The card that whoever draws now may take.
    fn offered(&self) -> Option<Card> {
        let top = self.discard_pile.last().copied();
        top.filter(|_| !self.must_draw_stock)
    }

    fn draw_stock(&mut self, seat: Seat) -> HandEvents {
        self.turns.begin(seat, self.offered(), Some(Pile::Stock));
        let card = self
            .stock
            .pop()
            .expect("a hand ends before its stock is empty");
        self.draw(seat, card, Pile::Stock)
    }

    fn take_discard(&mut self, seat: Seat) -> HandEvents {
        self.turns.begin(seat, self.offered(), Some(Pile::Discard));
        let card = self
            .discard_pile
            .pop()
            .expect("a card lies open whenever one may be taken");
        self.known[seat.index()].insert(card);
        self.must_knock = self.phase == Phase::LastChance;
        self.draw(seat, card, Pile::Discard)
    }

    fn draw(&mut self, seat: Seat, card: Card, pile: Pile) -> HandEvents {
        self.hands[seat.index()].insert(card);
        self.drawn = Some((card, pile));
        self.must_draw_stock = false;
        self.phase = Phase::Discard;
        self.note(seat, LastAction::Drew(pile, card));
        HandEvents::from_iter([Event::CardDrawn {
            seat,
            pile,
            card: Some(card),
        }])
    }

    fn check_discard(&self, seat: Seat, card: Card) -> Result<(), Violation> {
        if !self.cards(seat).contains(card) {
            return Err(Violation::CardNotInHand { card });
        }
        if self.barred_discard() == Some(card) {
            return Err(Violation::DiscardJustTaken { card });
        }
        Ok(())
    }

    fn discard(&mut self, seat: Seat, card: Card) -> Result<HandEvents, Violation> {
        self.check_discard(seat, card)?;
        Ok(self.put_down(seat, card))
    }

    fn put_down(&mut self, seat: Seat, card: Card) -> HandEvents {
        self.turns.end(seat, self.drawn.map(|(_, pile)| pile), card);
        self.part_with(seat, card);
        self.to_act = seat.opponent();
        self.phase = match (self.stock.len() <= WALL, self.rules.wall) {
            (false, _) => Phase::Draw,
            (true, Wall::LastChance) => Phase::LastChance,
            (true, Wall::Dead) => {
                self.end_dead();
                Phase::Over
            }
        };
        HandEvents::from_iter([Event::CardDiscarded {
            seat,
            card: Some(card),
        }])
    }

    fn part_with(&mut self, seat: Seat, card: Card) {
        self.hands[seat.index()].remove(card);
        self.known[seat.index()].remove(card);
        self.discard_pile.push(card);
        self.drawn = None;
        self.note(seat, LastAction::Discarded(card));
    }
}
