//! One game to the target, and the pair of games that one deal sequence makes.

use ginrummy_engine::{
    Command, DealerRule, Event, Match, MeldChoice, Outcome, Overrides, Rules, Ruleset, Seat, Seed,
    Viewer,
};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use super::players::{ChanceSeed, Contestant, Deal, Player};

/// A hand that takes longer than this never ends.
const MOST_ACTIONS: u32 = 5_000;

/// The rules of the EAAI-2021 challenge: to 100, knock limit 10, gin and undercut bonus 25, no big
/// gin, no boxes and no bonus for the game; after a scored hand the other player deals, a dead hand
/// is dealt again.
///
/// Each player shows and lays off the melds that he wants, as each does in his own engine.
///
/// # Panics
/// Never: the options go together.
#[must_use]
pub fn eaai_rules() -> Rules {
    let own_melds = Overrides {
        knocker_melds: Some(MeldChoice::Either),
        layoffs: Some(MeldChoice::Either),
        dealer_rule: Some(DealerRule::Alternate),
        ..Overrides::default()
    };
    let solo = Ruleset::named("solo").expect("a ruleset");
    solo.with(own_melds).expect("options that go together")
}

/// What one side did in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    pub points: u32,
    /// Hands won by a knock, by gin, by an undercut.
    pub knocks: u32,
    pub gins: u32,
    pub undercuts: u32,
}

/// A finished game. Sides are the contestants in the order of their names on the command line,
/// wherever they sat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Game {
    /// 1 or 2.
    pub winner: u8,
    pub hands: u32,
    pub dead: u32,
    pub sides: [Side; 2],
}

/// Both games of one deal sequence: contestant one in seat 1, then in seat 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    pub pair: u32,
    pub games: [Game; 2],
}

impl Pair {
    /// Games won by contestant one: 0, 1 or 2.
    #[must_use]
    pub fn wins(&self) -> u32 {
        self.games
            .iter()
            .map(|game| u32::from(game.winner == 1))
            .sum()
    }
}

/// Decisions of each contestant, and the processor's nanoseconds in them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    pub decisions: [u64; 2],
    pub ns: [u64; 2],
}

impl Effort {
    pub fn add(&mut self, other: &Self) {
        for side in 0..2 {
            self.decisions[side] += other.decisions[side];
            self.ns[side] += other.ns[side];
        }
    }
}

/// Plays both games of a pair. Deals and chance numbers depend on the seed and the pair's number
/// alone.
#[must_use]
pub fn play_pair(
    rules: &Rules,
    contestants: [Contestant; 2],
    seed: u64,
    pair: u32,
) -> (Pair, Effort) {
    let deals = Seed::new(numbered(seed, pair, 0));
    let mut effort = Effort::default();
    let games = Seat::BOTH.map(|seat_of_one| {
        let arrive =
            |side: u8| contestants[usize::from(side)].arrive(numbered(seed, pair, side + 1));
        let mut sides = [arrive(0), arrive(1)];
        play(rules, deals, &mut sides, seat_of_one, &mut effort)
    });
    (Pair { pair, games }, effort)
}

/// 32 bytes of their own for each seed, pair and use.
fn numbered(seed: u64, pair: u32, used_for: u8) -> ChanceSeed {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..12].copy_from_slice(&pair.to_le_bytes());
    bytes[12] = used_for;
    bytes
}

/// Plays a game through [`Match::apply`], whoever plays.
fn play(
    rules: &Rules,
    deals: Seed,
    sides: &mut [Box<dyn Player>; 2],
    seat_of_one: Seat,
    effort: &mut Effort,
) -> Game {
    let side_of = |seat: Seat| usize::from(seat != seat_of_one);
    let (mut game, _) = Match::start(rules, deals);
    let mut tally = Tally::default();
    let mut hand_number = 0;
    let mut actions = 0;
    while let Some(seat) = game.to_act() {
        if game.hand_number() != hand_number {
            hand_number = game.hand_number();
            actions = 0;
            seat_players(rules, &game, &deals, sides, side_of);
        }
        actions += 1;
        assert!(
            actions < MOST_ACTIONS,
            "hand {hand_number} of {deals:?} does not end"
        );
        let side = side_of(seat);
        let view = game
            .seat_view(seat)
            .expect("a match with a seat to act runs");
        let before = thread_ns();
        let action = sides[side].decide(&view);
        effort.ns[side] += thread_ns() - before;
        effort.decisions[side] += 1;
        let events = game
            .apply(&Command::Act {
                seat,
                action: action.clone(),
            })
            .unwrap_or_else(|refused| {
                panic!("{action:?} in hand {hand_number} of {deals:?}: {refused}")
            });
        for event in &events {
            tally.count(event, side_of);
            for seat in Seat::BOTH {
                sides[side_of(seat)].see(&event.seen_by(Viewer::Seat(seat), false));
            }
        }
    }
    tally.game(&game, side_of)
}

fn seat_players(
    rules: &Rules,
    game: &Match,
    deals: &Seed,
    sides: &mut [Box<dyn Player>; 2],
    side_of: impl Fn(Seat) -> usize,
) {
    let deal = Deal {
        rules,
        deck: &deals.deck(game.hand_number()),
        dealer: game.hand().dealer(),
        points: points(game),
    };
    for seat in Seat::BOTH {
        sides[side_of(seat)].sit_down(seat, &deal);
    }
}

/// Hand points by seat: the challenge has no others.
fn points(game: &Match) -> [u32; 2] {
    game.ledger().sheets().map(|sheet| sheet.total)
}

/// What the hands of a game came to.
#[derive(Default)]
struct Tally {
    hands: u32,
    dead: u32,
    sides: [Side; 2],
}

impl Tally {
    fn count(&mut self, event: &Event, side_of: impl Fn(Seat) -> usize) {
        let Event::HandScored(scored) = event else {
            return;
        };
        self.hands += 1;
        let Some(winner) = scored.result.winner else {
            self.dead += 1;
            return;
        };
        let side = &mut self.sides[side_of(winner)];
        match scored.result.outcome {
            Outcome::Knock => side.knocks += 1,
            Outcome::Gin | Outcome::BigGin => side.gins += 1,
            Outcome::Undercut => side.undercuts += 1,
            Outcome::Dead | Outcome::Tie => unreachable!("nobody wins those"),
        }
    }

    fn game(mut self, game: &Match, side_of: impl Fn(Seat) -> usize) -> Game {
        let result = game.result().expect("the game is over");
        for seat in Seat::BOTH {
            self.sides[side_of(seat)].points = points(game)[seat.index()];
        }
        let winner = result.winner.expect("a game ends at its target");
        Game {
            winner: if side_of(winner) == 0 { 1 } else { 2 },
            hands: self.hands,
            dead: self.dead,
            sides: self.sides,
        }
    }
}

/// Processor time of this thread, which a busy machine does not lengthen much.
fn thread_ns() -> u64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    let ns = i128::from(now.tv_sec) * 1_000_000_000 + i128::from(now.tv_nsec);
    u64::try_from(ns).unwrap_or_default()
}
