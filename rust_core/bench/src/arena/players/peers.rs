//! Bots of the crate `gin-rummy-engine`, at our table.
//!
//! Its bots are asked with a view that only the crate's own table can make. So each of them gets a
//! [`Mirror`]: the crate's table with the same deal, on which everything that happens here is
//! played again. The bot sees of it what the crate lets a bot see.

use gin_rummy::{Card as PeerCard, Hand as PeerHand, Meld as PeerMeld, Melds as PeerMelds};
use gin_rummy::{Player as PeerSeat, Rank as PeerRank, Round, RoundResult, Suit as PeerSuit};
use gin_rummy_engine::{
    DealerRotation, DrawAction, Layoff as PeerLayoff, Strategy, Table, TurnAction, UpcardAction,
    View, eaai_rules,
};
use ginrummy_engine::{
    Action, Card, CardSet, Event, Layoff, Phase, Pile, Rank, Seat, SeatView, Suit, best_arrangement,
};

use super::{Deal, Player};

/// The crate's table, played on in step with ours.
#[derive(Clone)]
pub struct Mirror {
    table: Table,
}

impl Mirror {
    /// The same deal on the crate's table, under the challenge's rules.
    ///
    /// # Panics
    /// When the deck does not hold every card once.
    #[must_use]
    pub fn of(deal: &Deal<'_>) -> Self {
        let dealt = |from: usize| -> PeerHand {
            let cards = deal.deck[..20].iter().skip(from).step_by(2);
            cards.map(|card| peer_card(*card)).collect()
        };
        let mut hands = [dealt(0), dealt(1)];
        if deal.dealer == Seat::One {
            hands.swap(0, 1);
        }
        // The crate draws from the end.
        let stock = deal.deck[21..].iter().rev().map(|card| peer_card(*card));
        let round = Round::from_deal(
            eaai_rules(),
            peer_seat(deal.dealer),
            hands,
            peer_card(deal.deck[20]),
            stock.collect(),
        );
        let points = deal
            .points
            .map(|points| u16::try_from(points).expect("a running game is below its target"));
        Self {
            table: Table::new(round.expect("a deck holds every card once"))
                .scores(points)
                .dealer_rotation(DealerRotation::AlternateAfterScoredRound),
        }
    }

    /// What the crate lets a bot in this seat see.
    #[must_use]
    pub const fn view(&self, seat: Seat) -> View<'_> {
        self.table.view(peer_seat(seat))
    }

    /// The crate's own result, once its round is over.
    #[must_use]
    pub const fn result(&self) -> Option<RoundResult> {
        self.table.round().result()
    }

    /// Plays an event again; those of the table itself follow from the players' by themselves.
    ///
    /// # Panics
    /// When the crate refuses what our engine allowed.
    pub fn see(&mut self, event: &Event) {
        let steps = match event {
            Event::LaidOff(laid_off) => laid_off.layoffs.len() + 1,
            _ => usize::from(event.seat().is_some()),
        };
        let mut made = Made { event, laid_off: 0 };
        for _ in 0..steps {
            self.step(&mut made);
        }
    }

    fn step(&mut self, strategy: &mut dyn Strategy) {
        self.table
            .step(strategy)
            .expect("both engines allow the same");
    }

    /// All layoffs of a bot, asked one after the other as the crate asks.
    fn layoffs(&self, seat: Seat, bot: &mut impl Strategy) -> Action {
        let mut ahead = self.clone();
        let mut layoffs = Vec::new();
        while let Some(layoff) = bot.choose_layoff(&ahead.view(seat)) {
            ahead.step(&mut OneLayoff(layoff));
            layoffs.push(Layoff {
                card: our_card(layoff.card),
                meld_index: layoff.meld,
            });
        }
        // The crate arranges what is left best. Groups are sent so that no layoffs means none.
        let left = our_cards(ahead.view(seat).hand());
        let melds = best_arrangement(left).melds;
        Action::LayOff {
            melds: melds.iter().map(|meld| meld.cards()).collect(),
            layoffs,
        }
    }
}

/// A bot of the crate with its mirror.
pub struct Peer<S> {
    bot: S,
    place: Option<(Seat, Mirror)>,
}

impl<S: Strategy> Peer<S> {
    #[must_use]
    pub const fn new(bot: S) -> Self {
        Self { bot, place: None }
    }
}

impl<S: Strategy> Player for Peer<S> {
    fn sit_down(&mut self, seat: Seat, deal: &Deal<'_>) {
        self.place = Some((seat, Mirror::of(deal)));
    }

    fn see(&mut self, event: &Event) {
        if let Some((_, mirror)) = &mut self.place {
            mirror.see(event);
        }
    }

    fn decide(&mut self, view: &SeatView<'_>) -> Action {
        let (seat, mirror) = self.place.as_ref().expect("it sat down before it plays");
        let peer_view = mirror.view(*seat);
        match view.phase() {
            Phase::Upcard => match self.bot.offer_upcard(&peer_view) {
                UpcardAction::Take => draw(Pile::Discard),
                UpcardAction::Pass => Action::Pass,
            },
            // The crate's table does not ask about a draw without a choice.
            Phase::Draw if view.must_draw_stock() => draw(Pile::Stock),
            Phase::Draw => match self.bot.choose_draw(&peer_view) {
                DrawAction::Stock => draw(Pile::Stock),
                DrawAction::TakeDiscard => draw(Pile::Discard),
            },
            Phase::Discard => match self.bot.play_turn(&peer_view) {
                TurnAction::Discard(card) => Action::Discard {
                    card: our_card(card),
                },
                TurnAction::Knock { discard, melds } => Action::Knock {
                    discard: our_card(discard),
                    melds: melds.iter().map(|meld| our_cards(meld.cards())).collect(),
                },
                TurnAction::BigGin(_) => unreachable!("the challenge has no big gin"),
            },
            Phase::Layoff => mirror.layoffs(*seat, &mut self.bot),
            Phase::LastChance | Phase::Over => unreachable!("the challenge's wall ends the hand"),
        }
    }
}

const fn draw(pile: Pile) -> Action {
    Action::Draw { pile }
}

/// What somebody has done at our table, for the crate's table to ask for.
struct Made<'a> {
    event: &'a Event,
    laid_off: usize,
}

impl Strategy for Made<'_> {
    fn offer_upcard(&mut self, _: &View<'_>) -> UpcardAction {
        match self.event {
            Event::Passed { .. } => UpcardAction::Pass,
            _ => UpcardAction::Take,
        }
    }

    fn choose_draw(&mut self, _: &View<'_>) -> DrawAction {
        match self.event {
            Event::CardDrawn {
                pile: Pile::Stock, ..
            } => DrawAction::Stock,
            _ => DrawAction::TakeDiscard,
        }
    }

    fn play_turn(&mut self, view: &View<'_>) -> TurnAction {
        match self.event {
            Event::CardDiscarded {
                card: Some(card), ..
            } => TurnAction::Discard(peer_card(*card)),
            Event::Knocked(showdown) => {
                let discard = showdown.discard.expect("the knock card lies face up");
                let melds: Vec<PeerMeld> = showdown
                    .melds
                    .iter()
                    .map(|meld| {
                        PeerMeld::try_from_cards(peer_cards(meld.cards())).expect("a meld is one")
                    })
                    .collect();
                let held = view.hand() - peer_card(discard).into();
                TurnAction::Knock {
                    discard: peer_card(discard),
                    melds: PeerMelds::try_new(held, &melds).expect("the knocker holds his melds"),
                }
            }
            event => unreachable!("no end of a turn: {event:?}"),
        }
    }

    fn choose_layoff(&mut self, _: &View<'_>) -> Option<PeerLayoff> {
        let Event::LaidOff(made) = self.event else {
            unreachable!("no layoffs: {:?}", self.event)
        };
        let layoff = made.layoffs.get(self.laid_off)?;
        self.laid_off += 1;
        Some(PeerLayoff {
            card: peer_card(layoff.card),
            meld: layoff.meld_index,
        })
    }
}

/// A bot's layoff, played ahead.
struct OneLayoff(PeerLayoff);

impl Strategy for OneLayoff {
    fn offer_upcard(&mut self, _: &View<'_>) -> UpcardAction {
        unreachable!("layoffs come last")
    }

    fn choose_draw(&mut self, _: &View<'_>) -> DrawAction {
        unreachable!("layoffs come last")
    }

    fn play_turn(&mut self, _: &View<'_>) -> TurnAction {
        unreachable!("layoffs come last")
    }

    fn choose_layoff(&mut self, _: &View<'_>) -> Option<PeerLayoff> {
        Some(self.0)
    }
}

const fn peer_seat(seat: Seat) -> PeerSeat {
    match seat {
        Seat::One => PeerSeat::One,
        Seat::Two => PeerSeat::Two,
    }
}

const fn peer_card(card: Card) -> PeerCard {
    PeerCard {
        suit: PeerSuit::ASC[card.suit() as usize],
        rank: PeerRank::new(card.rank() as u8 + 1),
    }
}

fn peer_cards(cards: CardSet) -> PeerHand {
    cards.into_iter().map(peer_card).collect()
}

fn our_card(card: PeerCard) -> Card {
    let rank = Rank::ALL[usize::from(card.rank.get()) - 1];
    Card::new(rank, Suit::ALL[card.suit as usize])
}

fn our_cards(cards: PeerHand) -> CardSet {
    cards.iter().map(our_card).collect()
}
