//! What one viewer may know of a hand: decided here and in [`Event::seen_by`] alone.

use serde::Serialize;

use crate::action::{Action, Phase, Pile};
use crate::arrangement::{Arrangement, best_arrangement};
use crate::card::Card;
use crate::card_set::CardSet;
use crate::deadwood::PricedDiscard;
use crate::event::{Event, Showdown};
use crate::hand::{DiscardOptions, Hand, Turn};
use crate::ledger::Ledger;
use crate::rules::{PileView, Rules};
use crate::seat::{Seat, Viewer};

/// A hand as one seat sees it: the only thing a bot gets.
///
/// The hand behind it is out of reach; each method answers what a player in that seat may know.
#[derive(Clone, Copy)]
pub struct SeatView<'a> {
    hand: &'a Hand,
    seat: Seat,
    standing: Option<&'a Ledger>,
}

impl<'a> SeatView<'a> {
    #[must_use]
    pub const fn new(hand: &'a Hand, seat: Seat) -> Self {
        Self {
            hand,
            seat,
            standing: None,
        }
    }

    /// The view of a match's hand, with the score so far.
    pub(crate) const fn of_match(hand: &'a Hand, seat: Seat, standing: &'a Ledger) -> Self {
        Self {
            hand,
            seat,
            standing: Some(standing),
        }
    }

    #[must_use]
    pub const fn seat(&self) -> Seat {
        self.seat
    }

    #[must_use]
    pub const fn rules(&self) -> &'a Rules {
        self.hand.rules()
    }

    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.hand.phase()
    }

    #[must_use]
    pub const fn dealer(&self) -> Seat {
        self.hand.dealer()
    }

    #[must_use]
    pub fn to_act(&self) -> Option<Seat> {
        self.hand.to_act()
    }

    #[must_use]
    pub const fn cards(&self) -> CardSet {
        self.hand.cards(self.seat)
    }

    #[must_use]
    pub fn knock_limit(&self) -> u32 {
        self.hand.knock_limit()
    }

    #[must_use]
    pub fn stock_len(&self) -> usize {
        self.hand.stock_len()
    }

    /// The pile's top card.
    #[must_use]
    pub fn top_discard(&self) -> Option<Card> {
        self.discard_pile().last().copied()
    }

    /// The pile, bottom to top. Whoever sits at the table has seen each of its cards put down, even
    /// where the match shows the top card alone.
    #[must_use]
    pub fn discard_pile(&self) -> &'a [Card] {
        let face_down = self.rules().knock_card_face_down;
        open_pile(self.hand, Viewer::Seat(self.seat), face_down)
    }

    /// Seen to be taken from the pile by the opponent, who still holds them.
    #[must_use]
    pub const fn known_of_opponent(&self) -> CardSet {
        self.hand.known(self.seat.opponent())
    }

    /// How many cards the opponent holds.
    #[must_use]
    pub const fn count_of_opponent(&self) -> usize {
        self.hand.cards(self.seat.opponent()).len()
    }

    /// What everybody saw of this hand so far, the oldest first: who was offered, took, left and
    /// discarded what. Nothing of what went before a position that was set up.
    #[must_use]
    pub fn turns(&self) -> &'a [Turn] {
        self.hand.turns()
    }

    /// The match's score before this hand; `None` for a hand by itself.
    #[must_use]
    pub const fn standing(&self) -> Option<&'a Ledger> {
        self.standing
    }

    /// The hand's points count double.
    #[must_use]
    pub fn points_doubled(&self) -> bool {
        self.hand.points_doubled()
    }

    /// The card drawn in this turn and where it came from, while this seat is to discard.
    #[must_use]
    pub fn drawn(&self) -> Option<(Card, Pile)> {
        self.hand.drawn().filter(|_| self.is_to_discard())
    }

    /// The hand as it would be with these cards in the places that this seat does not see.
    pub(crate) fn imagined(&self, opponents: CardSet, stock: &[Card]) -> Hand {
        self.hand.with_hidden(self.seat, opponents, stock)
    }

    #[must_use]
    pub const fn must_draw_stock(&self) -> bool {
        self.hand.must_draw_stock()
    }

    #[must_use]
    pub fn barred_discard(&self) -> Option<Card> {
        self.hand
            .barred_discard()
            .filter(|_| self.to_act() == Some(self.seat))
    }

    /// The best discard by deadwood alone, in the discard phase of this seat.
    #[must_use]
    pub fn best_discard(&self) -> Option<PricedDiscard> {
        self.is_to_discard()
            .then(|| self.hand.best_discard(self.seat))
    }

    /// The wall's last discard was taken: only a knock or big gin is legal.
    #[must_use]
    pub const fn must_knock(&self) -> bool {
        self.hand.must_knock()
    }

    /// The knock with this discard, with groups where they are required.
    #[must_use]
    pub fn knock(&self, discard: Card) -> Action {
        self.hand.knock_action(self.seat, discard)
    }

    /// Big gin, where it is possible now.
    #[must_use]
    pub fn big_gin(&self) -> Option<Action> {
        let possible = self.is_to_discard() && self.hand.can_big_gin(self.seat);
        possible.then(|| self.hand.big_gin_action(self.seat))
    }

    #[must_use]
    pub fn legal_actions(&self) -> Vec<Action> {
        self.hand.legal_actions(self.seat)
    }

    #[must_use]
    pub fn showdown(&self) -> Option<Showdown> {
        let face_down = self.rules().knock_card_face_down;
        self.hand
            .showdown()
            .map(|showdown| showdown.seen_by(Viewer::Seat(self.seat), face_down))
    }

    fn is_to_discard(&self) -> bool {
        self.phase() == Phase::Discard && self.to_act() == Some(self.seat)
    }
}

/// The pile without a knock card that lies face down for this viewer.
fn open_pile(hand: &Hand, viewer: Viewer, knock_card_face_down: bool) -> &[Card] {
    let pile = hand.discard_pile();
    let hidden = hand.showdown().is_some_and(|showdown| {
        showdown.discard.is_some()
            && showdown
                .seen_by(viewer, knock_card_face_down)
                .discard
                .is_none()
    });
    &pile[..pile.len() - usize::from(hidden)]
}

/// What a snapshot lists of the pile: with its top card alone, nothing while that lies face down.
fn listed_pile(hand: &Hand, viewer: Viewer, knock_card_face_down: bool) -> &[Card] {
    let open = open_pile(hand, viewer, knock_card_face_down);
    match hand.rules().pile_view {
        PileView::All => open,
        PileView::TopOnly => {
            let top = hand.discard_pile().len().saturating_sub(1);
            &open[top.min(open.len())..]
        }
    }
}

/// What a snapshot lists of the cards taken from the pile and still held.
fn listed_known(hand: &Hand, seat: Seat) -> CardSet {
    match hand.rules().pile_view {
        PileView::All => hand.known(seat),
        PileView::TopOnly => CardSet::EMPTY,
    }
}

/// A hand as one viewer sees it, whole. Hidden things are counts, never blanked cards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HandView {
    pub phase: Phase,
    pub dealer: Seat,
    pub to_act: Option<Seat>,
    /// `None` for a spectator.
    pub own_hand: Option<CardSet>,
    pub own_arrangement: Option<Arrangement>,
    /// By seat.
    pub hand_counts: [usize; 2],
    /// By seat: taken from the pile and still held; empty where only the pile's top shows.
    pub known_cards: [CardSet; 2],
    /// Bottom to top; the top card alone where the rules say so.
    pub discard_pile: Vec<Card>,
    pub discard_count: usize,
    pub stock_count: usize,
    pub knock_limit: u32,
    /// The hand's points count double.
    pub points_doubled: bool,
    pub legal_actions: Vec<Action>,
    /// In the discard phase of this viewer.
    pub discard_options: Option<DiscardOptions>,
    /// The opponent's latest action in this hand; for a spectator the latest of all.
    pub last_action: Option<Event>,
    /// While layoffs are awaited.
    pub showdown: Option<Showdown>,
    /// The card this viewer has just drawn.
    pub last_drawn: Option<Card>,
    /// The card this viewer may not discard in this turn.
    pub barred_discard: Option<Card>,
}

impl HandView {
    /// The view of a hand, with the options and counts that a player in that seat is shown.
    #[must_use]
    pub fn new(hand: &Hand, viewer: Viewer, hints: bool) -> Self {
        Self::of_match(hand, viewer, hints, false)
    }

    /// The view of a match's latest hand. Once the match has ended nobody acts, and the knock card
    /// is turned up.
    pub(crate) fn of_match(hand: &Hand, viewer: Viewer, hints: bool, has_ended: bool) -> Self {
        let seat = viewer.seat();
        let face_down = hand.rules().knock_card_face_down && !has_ended;
        let own_hand = seat.map(|seat| hand.cards(seat));
        let to_act = hand.to_act().filter(|_| !has_ended);
        let acting = seat.filter(|seat| to_act == Some(*seat));
        let phase = if has_ended { Phase::Over } else { hand.phase() };
        let latest = seat.map(Seat::opponent).or(hand.last_actor());
        Self {
            phase,
            dealer: hand.dealer(),
            to_act,
            own_hand,
            own_arrangement: own_hand.map(best_arrangement),
            hand_counts: Seat::BOTH.map(|seat| hand.cards(seat).len()),
            known_cards: Seat::BOTH.map(|seat| listed_known(hand, seat)),
            discard_pile: listed_pile(hand, viewer, face_down).to_vec(),
            discard_count: hand.discard_pile().len(),
            stock_count: hand.stock_len(),
            knock_limit: hand.knock_limit(),
            points_doubled: hand.points_doubled(),
            legal_actions: acting
                .map(|seat| hand.legal_actions(seat))
                .unwrap_or_default(),
            discard_options: acting.and_then(|seat| hand.discard_options(seat, hints)),
            last_action: latest
                .and_then(|seat| hand.last_action(seat))
                .map(|event| event.seen_by(viewer, face_down)),
            showdown: hand
                .showdown()
                .filter(|_| phase == Phase::Layoff)
                .map(|showdown| showdown.seen_by(viewer, face_down)),
            last_drawn: acting.and(hand.drawn()).map(|(card, _)| card),
            barred_discard: acting.and(hand.barred_discard()),
        }
    }
}
