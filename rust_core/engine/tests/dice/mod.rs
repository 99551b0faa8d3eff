//! Random rules, decks and actions, the same for the same number.

#![allow(dead_code, reason = "each test program uses a part of this")]

use ginrummy_engine::{
    Action, Bot, Card, CardSet, DealerRule, Deck, Hand, Layoff, Meld, MeldChoice, Oklahoma,
    Overrides, Phase, Pile, PileView, Position, Rules, Ruleset, Seat, SeatView, Shutout, Thinking,
    Wall, all_melds, minimal_arrangements,
};

/// `SplitMix64`.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(number: u64) -> Self {
        Self(number)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    /// True once in so many times.
    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    fn maybe<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        self.one_in(3).then(|| self.pick(from))
    }

    pub(crate) fn seat(&mut self) -> Seat {
        self.pick(&Seat::BOTH)
    }

    pub(crate) fn bytes(&mut self) -> [u8; 32] {
        std::array::from_fn(|_| u8::try_from(self.below(256)).unwrap())
    }

    pub(crate) fn deck(&mut self) -> Deck {
        let mut deck = Card::DECK;
        for i in (1..52).rev() {
            deck.swap(i, self.below(i + 1));
        }
        deck
    }

    /// Any ruleset with options over it that go together.
    pub(crate) fn rules(&mut self) -> Rules {
        let both = [true, false];
        loop {
            let ruleset = self.pick(&Ruleset::ALL);
            let overrides = Overrides {
                upcard_offer: self.maybe(&both),
                knock_limit: self.maybe(&[0, 1, 5, 10]),
                knocker_melds: self.maybe(&[
                    MeldChoice::Auto,
                    MeldChoice::Declared,
                    MeldChoice::Either,
                ]),
                layoffs: self.maybe(&[MeldChoice::Auto, MeldChoice::Either]),
                gin_bonus: self.maybe(&[0, 20, 25]),
                undercut_bonus: self.maybe(&[0, 10, 25]),
                undercut_on_tie: self.maybe(&both),
                big_gin: self.maybe(&both),
                big_gin_bonus: None,
                oklahoma: self.maybe(&[Oklahoma::Off, Oklahoma::AceIsOne, Oklahoma::AceIsGin]),
                spades_double: self.maybe(&both),
                wall: self.maybe(&[Wall::Dead, Wall::LastChance]),
                allow_discard_taken: self.maybe(&both),
                layoff_on_gin: self.maybe(&both),
                target: self.maybe(&[0, 50, 100, 500]),
                dealer_rule: self.maybe(&[
                    DealerRule::Alternate,
                    DealerRule::Winner,
                    DealerRule::Loser,
                ]),
                box_bonus: self.maybe(&[0, 10, 25]),
                boxes_immediate: self.maybe(&both),
                game_bonus: self.maybe(&[0, 100]),
                shutout: self.maybe(&[
                    Shutout::None,
                    Shutout::DoubleGameBonus,
                    Shutout::DoubleHandPoints,
                    Shutout::DoubleTotal,
                    Shutout::DoubleTotalBeforeBoxes,
                ]),
                shutout_flat_bonus: None,
                hollywood: self.maybe(&both),
                pile_view: self.maybe(&[PileView::All, PileView::TopOnly]),
                knock_card_face_down: self.maybe(&both),
            };
            if let Ok(rules) = ruleset.with(overrides) {
                return rules;
            }
        }
    }

    /// What a player may do: as the simple bot, or anything that is listed, or his own groups.
    pub(crate) fn legal_action(&mut self, hand: &Hand) -> (Seat, Action) {
        let seat = hand.to_act().unwrap();
        let view = SeatView::new(hand, seat);
        if !self.one_in(3) {
            return (
                seat,
                Bot::Simple.decide(&view, &Thinking::default()).unwrap(),
            );
        }
        let mut action = self.pick(&view.legal_actions());
        match &mut action {
            Action::Knock { discard, melds }
                if view.rules().knocker_melds != MeldChoice::Auto && self.one_in(2) =>
            {
                *melds = self.groups(view.cards().without(*discard));
            }
            Action::LayOff { melds, layoffs } if self.one_in(2) => {
                *melds = self.groups(view.cards());
                *layoffs = self.layoffs(hand, seat);
            }
            _ => {}
        }
        if hand.clone().apply(seat, &action).is_ok() {
            (seat, action)
        } else {
            // His own layoffs and groups overlapped.
            (seat, view.legal_actions().remove(0))
        }
    }

    /// An arrangement of least deadwood, any of them.
    fn groups(&mut self, cards: CardSet) -> Vec<CardSet> {
        let arrangement = self.pick(&minimal_arrangements(cards));
        arrangement.melds.iter().map(|meld| meld.cards()).collect()
    }

    /// Cards that fit, as the melds grow.
    fn layoffs(&mut self, hand: &Hand, seat: Seat) -> Vec<Layoff> {
        let mut melds = hand.showdown().unwrap().melds.clone();
        let mut layoffs = Vec::new();
        for _ in 0..20 {
            let meld_index = self.below(melds.len());
            let fitting: Vec<Card> = (melds[meld_index].extensions() & hand.cards(seat))
                .into_iter()
                .collect();
            if let Some(card) = fitting.first().copied() {
                melds[meld_index] = melds[meld_index].extended(card).unwrap();
                layoffs.push(Layoff { card, meld_index });
            }
        }
        layoffs
    }

    fn cards(&mut self, max: usize) -> CardSet {
        (0..self.below(max + 1)).map(|_| self.card()).collect()
    }

    fn card(&mut self) -> Card {
        self.pick(&Card::DECK)
    }

    /// Well formed, seldom legal.
    pub(crate) fn wild_action(&mut self, hand: &Hand) -> Action {
        let own = hand.cards(self.seat()).into_iter().collect::<Vec<_>>();
        let card = if self.one_in(2) {
            self.pick(&own)
        } else {
            self.card()
        };
        let melds: Vec<CardSet> = (0..self.below(4)).map(|_| self.cards(5)).collect();
        match self.below(7) {
            0 => Action::Pass,
            1 => Action::Draw { pile: Pile::Stock },
            2 => Action::Draw {
                pile: Pile::Discard,
            },
            3 => Action::Discard { card },
            4 => Action::Knock {
                discard: card,
                melds,
            },
            5 => Action::BigGin { melds },
            _ => Action::LayOff {
                melds,
                layoffs: (0..self.below(12))
                    .map(|_| Layoff {
                        card: self.pick(&own),
                        meld_index: self.below(5),
                    })
                    .collect(),
            },
        }
    }

    /// All 52 cards laid out anyhow: often as in a hand, often not.
    pub(crate) fn position(&mut self) -> Position {
        let phase = self.pick(&[
            Phase::Upcard,
            Phase::Draw,
            Phase::Discard,
            Phase::Layoff,
            Phase::LastChance,
            Phase::Over,
        ]);
        let to_act = self.seat();
        let mut hands = [CardSet::EMPTY; 2];
        if phase == Phase::Layoff {
            hands[to_act.opponent().index()] = self.knocker();
        }
        let mut rest = self.deck().to_vec();
        rest.retain(|card| !hands[0].contains(*card) && !hands[1].contains(*card));
        for seat in Seat::BOTH {
            let is_eleven = seat == to_act && (phase == Phase::Discard) != self.one_in(20);
            let missing = (10 + usize::from(is_eleven)).saturating_sub(hands[seat.index()].len());
            hands[seat.index()] = hands[seat.index()] | rest.drain(..missing).collect();
        }
        let pile_len = match phase {
            Phase::Upcard if !self.one_in(5) => 1,
            Phase::LastChance if !self.one_in(5) => rest.len() - 2,
            _ if self.one_in(5) => self.below(3),
            _ => self.below(rest.len() + 1),
        };
        let upcard = self.card();
        Position {
            dealer: self.seat(),
            phase,
            to_act,
            discard_pile: rest.split_off(rest.len() - pile_len),
            stock: rest,
            upcard: (pile_len == 0 || self.one_in(5)).then_some(upcard),
            must_draw_stock: self.one_in(10),
            drawn: match hands[to_act.index()].first() {
                Some(card) if phase == Phase::Discard => Some(card),
                _ => self.one_in(20).then(|| self.card()),
            },
            drawn_from: self.pick(&[Pile::Stock, Pile::Discard]),
            knocker_melds: Vec::new(),
            hands,
        }
    }

    /// Ten cards that may knock, or eleven in melds.
    fn knocker(&mut self) -> CardSet {
        let melds: Vec<Meld> = all_melds().filter(|meld| meld.cards().len() <= 4).collect();
        let mut cards = CardSet::EMPTY;
        while cards.len() < 9 {
            let meld = self.pick(&melds).cards();
            if cards.is_disjoint(meld) && (cards | meld).len() <= 11 {
                cards |= meld;
            }
        }
        let mut low: Vec<Card> = (CardSet::ALL - cards).into_iter().collect();
        low.sort_by_key(|card| card.rank());
        let missing = 10usize.saturating_sub(cards.len());
        cards | low.into_iter().take(missing).collect()
    }

    /// One action in twenty is a time-out.
    pub(crate) fn step(&mut self, hand: &Hand) -> Step {
        if self.one_in(20) && hand.phase() != Phase::Over {
            Step::TimeOut
        } else {
            let (seat, action) = self.legal_action(hand);
            Step::Act(seat, action)
        }
    }
}

/// What moves a hand on.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Act(Seat, Action),
    TimeOut,
}
