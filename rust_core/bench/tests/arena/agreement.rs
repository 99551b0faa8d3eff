//! Games of the crate's bots: in the crate alone, and at our table through the adapter.

use gin_rummy::{Hand as PeerHand, Phase as PeerPhase, Player as PeerSeat, Round, RoundResult};
use gin_rummy_engine::{
    DealerRotation, EaaiSimpleBot, MonteCarloBot, Strategy, Table, eaai_rules as peer_rules,
};
use ginrummy_bench::arena::game::eaai_rules;
use ginrummy_bench::arena::players::{Deal, Peer, Player};
use ginrummy_engine::{
    Card, CardSet, Command, Event, Hand, Match, MeldChoice, Outcome, Phase, ScoredHand, Seat, Seed,
    Viewer,
};
use rand::SeedableRng;
use rand::rngs::StdRng;

type Bot = Box<dyn Strategy>;

/// The crate's cards of this set: four rows of sixteen bits, the ace at bit 1.
fn peer_cards(cards: impl IntoIterator<Item = Card>) -> PeerHand {
    let bit = |card: Card| 1 << (16 * (card.suit() as u32) + card.rank() as u32 + 1);
    let bits = cards
        .into_iter()
        .map(bit)
        .fold(0, |all, bit: u64| all | bit);
    PeerHand::from_bits(bits).expect("the crate knows every card")
}

fn peer_card(card: Card) -> gin_rummy::Card {
    peer_cards([card]).iter().next().expect("it holds one card")
}

/// A game in the crate alone, hand by hand.
struct PeerGame {
    table: Table,
    bots: [Bot; 2],
    points: [u16; 2],
}

impl PeerGame {
    fn deal(&mut self, deck: &[Card; 52], dealer: Seat) {
        let of = |from: usize| peer_cards(deck[..20].iter().skip(from).step_by(2).copied());
        let (non_dealer, of_dealer) = (of(0), of(1));
        let (hands, dealer) = match dealer {
            Seat::One => ([of_dealer, non_dealer], PeerSeat::One),
            Seat::Two => ([non_dealer, of_dealer], PeerSeat::Two),
        };
        let stock = deck[21..]
            .iter()
            .rev()
            .map(|card| peer_card(*card))
            .collect();
        let round = Round::from_deal(peer_rules(), dealer, hands, peer_card(deck[20]), stock);
        self.table = Table::new(round.expect("a deck"))
            .scores(self.points)
            .dealer_rotation(DealerRotation::AlternateAfterScoredRound);
    }

    /// One decision; a defender's layoffs are one.
    fn step(&mut self) {
        loop {
            let seat = self.table.turn().expect("the round goes on");
            let bot = &mut self.bots[seat as usize];
            self.table
                .step(bot.as_mut())
                .expect("bots play by the rules");
            let lays_off = self.table.round().phase() == PeerPhase::Layoff;
            let was_lay_off = lays_off && self.table.turn() == Some(seat);
            if !was_lay_off {
                return;
            }
        }
    }

    fn is_where(&self, hand: &Hand) {
        let round = self.table.round();
        for (seat, peer) in Seat::BOTH.into_iter().zip(PeerSeat::ALL) {
            assert_eq!(round.hand(peer), peer_cards(hand.cards(seat)));
        }
        let pile: Vec<_> = hand
            .discard_pile()
            .iter()
            .map(|card| peer_card(*card))
            .collect();
        assert_eq!(round.discard_pile(), pile);
        assert_eq!(round.stock().len(), hand.stock_len());
        let phase = match hand.phase() {
            Phase::Upcard => PeerPhase::Upcard,
            Phase::Draw => PeerPhase::Draw,
            Phase::Discard => PeerPhase::Discard,
            Phase::Layoff => PeerPhase::Layoff,
            Phase::LastChance => panic!("the crate has none"),
            Phase::Over => PeerPhase::Finished,
        };
        assert_eq!(round.phase(), phase);
    }

    fn scored(&mut self, scored: &ScoredHand) {
        let result = self.table.round().result().expect("the round is over");
        let outcome = match result {
            RoundResult::Dead => Outcome::Dead,
            RoundResult::Knock { .. } => Outcome::Knock,
            RoundResult::Undercut { .. } => Outcome::Undercut,
            RoundResult::Gin { .. } => Outcome::Gin,
            other => panic!("not of the challenge: {other:?}"),
        };
        assert_eq!(scored.result.outcome, outcome);
        let winner = result.winner().map(|winner| winner as usize);
        assert_eq!(scored.result.winner.map(Seat::index), winner);
        let points = result.points(&peer_rules());
        assert_eq!(scored.result.points, u32::from(points));
        let laid_off: CardSet = scored
            .result
            .layoffs
            .iter()
            .map(|layoff| layoff.card)
            .collect();
        assert_eq!(self.table.round().laid_off(), peer_cards(laid_off));
        if let Some(winner) = winner {
            self.points[winner] += points;
        }
        assert_eq!(
            scored.sheets.each_ref().map(|s| s.total),
            self.points.map(u32::from)
        );
    }
}

/// Plays one game in both, comparing the whole position after every action: how many hands.
fn compare(seed: u8, theirs: [Bot; 2], mut ours: [Box<dyn Player>; 2]) -> u32 {
    let (rules, deals) = (eaai_rules(), Seed::new([seed; 32]));
    let (mut game, _) = Match::start(&rules, deals);
    let mut peer = PeerGame {
        table: Table::deal(peer_rules(), PeerSeat::One, &mut StdRng::seed_from_u64(0)),
        bots: theirs,
        points: [0; 2],
    };
    let mut hand_number = 0;
    while let Some(seat) = game.to_act() {
        if game.hand_number() != hand_number {
            hand_number = game.hand_number();
            let (deck, dealer) = (deals.deck(hand_number), game.hand().dealer());
            peer.deal(&deck, dealer);
            let points = peer.points.map(u32::from);
            for seat in Seat::BOTH {
                let deal = Deal {
                    rules: &rules,
                    deck: &deck,
                    dealer,
                    points,
                };
                ours[seat.index()].sit_down(seat, &deal);
            }
        }
        let action = ours[seat.index()].decide(&game.seat_view(seat).expect("it runs"));
        let mut hand = game.hand().clone();
        hand.apply(seat, &action).expect("a legal action");
        let events = game
            .apply(&Command::Act { seat, action })
            .expect("a legal action");
        peer.step();
        if hand.phase() != Phase::Over || hand.result().is_some_and(|r| r.layoffs.is_empty()) {
            peer.is_where(&hand);
        }
        for event in &events {
            if let Event::HandScored(scored) = event {
                peer.scored(scored);
            }
            for seat in Seat::BOTH {
                ours[seat.index()].see(&event.seen_by(Viewer::Seat(seat), false));
            }
        }
    }
    hand_number
}

fn eaai(seed: u64) -> EaaiSimpleBot<StdRng> {
    EaaiSimpleBot::new(StdRng::seed_from_u64(seed))
}

fn monte_carlo(seed: u64) -> MonteCarloBot<StdRng> {
    MonteCarloBot::new(StdRng::seed_from_u64(seed)).samples(16)
}

#[test]
fn simple_players_play_the_same_games_here_as_in_their_own_crate() {
    let mut hands = 0;
    for seed in 0..=255 {
        let theirs: [Bot; 2] = [Box::new(eaai(1)), Box::new(eaai(2))];
        let ours: [Box<dyn Player>; 2] =
            [Box::new(Peer::new(eaai(1))), Box::new(Peer::new(eaai(2)))];
        hands += compare(seed, theirs, ours);
    }
    assert!(hands > 2_000, "{hands}");
}

#[test]
fn monte_carlo_players_play_the_same_games_here_as_in_their_own_crate() {
    let mut hands = 0;
    for seed in 0..12 {
        let theirs: [Bot; 2] = [Box::new(monte_carlo(1)), Box::new(eaai(2))];
        let ours: [Box<dyn Player>; 2] = [
            Box::new(Peer::new(monte_carlo(1))),
            Box::new(Peer::new(eaai(2))),
        ];
        hands += compare(seed, theirs, ours);
    }
    let theirs: [Bot; 2] = [Box::new(monte_carlo(1)), Box::new(monte_carlo(2))];
    let ours: [Box<dyn Player>; 2] = [
        Box::new(Peer::new(monte_carlo(1))),
        Box::new(Peer::new(monte_carlo(2))),
    ];
    hands += compare(200, theirs, ours);
    assert!(hands > 50, "{hands}");
}

#[test]
fn both_engines_play_by_the_challenges_rules() {
    let (ours, theirs) = (eaai_rules(), peer_rules());
    assert_eq!(ours.knock_limit, u32::from(theirs.knock_limit));
    assert_eq!(ours.gin_bonus, u32::from(theirs.gin_bonus));
    assert_eq!(ours.undercut_bonus, u32::from(theirs.undercut_bonus));
    assert_eq!(ours.undercut_on_tie, theirs.undercut_on_tie);
    assert_eq!(ours.target, u32::from(theirs.game_target));
    assert!(ours.upcard_offer && !ours.big_gin && theirs.big_gin_bonus.is_none());
    let bonuses = (ours.box_bonus, ours.game_bonus);
    assert_eq!(
        bonuses,
        (u32::from(theirs.box_bonus), u32::from(theirs.game_bonus))
    );
    // Who shows or lays off melds of his choice may do so.
    assert_eq!(
        (ours.knocker_melds, ours.layoffs),
        (MeldChoice::Either, MeldChoice::Either)
    );
}
