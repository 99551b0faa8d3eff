//! Fits what the expert believes of its opponent's hand to what bots really held.
//!
//! `cargo run --release --features tuning --example fit -- GAMES EPOCHS` plays games between bots,
//! keeps some of the positions with the hand that was hidden, and moves the weights until the hands
//! drawn by them have the same features on average as those held: the weights of greatest
//! likelihood. It prints the weights, and both averages. Those in `bot/belief.rs` came of 8 epochs
//! over 11,519 positions of the MARJJ-style player, the EAAI baseline and an earlier heuristic bot.

#[cfg(not(feature = "tuning"))]
fn main() {
    eprintln!("the numbers inside the bots need --features tuning");
}

#[cfg(feature = "tuning")]
fn main() {
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|text| text.parse().ok());
    let (games, epochs) = (numbers.next().unwrap_or(60), numbers.next().unwrap_or(8));
    fit::run(games, epochs);
}

#[cfg(feature = "tuning")]
mod fit {
    use ginrummy_engine::tuning::{FEATURES, Opponents, WEIGHTS};
    use ginrummy_engine::{
        Bot, CardSet, Command, Hand, Match, Phase, Ruleset, Seat, SeatView, Seed, Thinking,
    };

    const PLAYERS: [Bot; 3] = [Bot::Simple, Bot::Heuristic, Bot::Hard];
    /// One action in so many gives a position.
    const KEPT: u64 = 8;
    const BATCH: usize = 256;
    const HANDS: u16 = 16;

    struct Position {
        hand: Hand,
        seat: Seat,
        held: CardSet,
    }

    pub(super) fn run(games: u8, epochs: u8) {
        let positions = positions(games);
        println!("{} positions", positions.len());
        let mut weights = WEIGHTS;
        let mut steps = Steps::default();
        for epoch in 0..epochs {
            let rate = 0.03 / f32::from(1 + epoch * 4 / epochs.max(1)).powi(2);
            let (mut held, mut drawn) = ([0.0; FEATURES], [0.0; FEATURES]);
            for (number, batch) in (0u64..).zip(positions.chunks(BATCH)) {
                let seed = u64::from(epoch) << 32 | number << 16;
                let (of_held, of_drawn) = features(batch, &weights, seed);
                steps.take(&mut weights, &of_held, &of_drawn, rate);
                for at in 0..FEATURES {
                    held[at] += of_held[at];
                    drawn[at] += of_drawn[at];
                }
            }
            println!("epoch {epoch}\nweights {weights:.3?}\nheld {held:.2?}\ndrawn {drawn:.2?}");
        }
    }

    /// Games between each two players, looked at now and then.
    fn positions(games: u8) -> Vec<Position> {
        let rules = Ruleset::named("solo").expect("a ruleset").rules;
        let mut positions = Vec::new();
        let mut actions = 0u64;
        for (one, two) in PLAYERS
            .into_iter()
            .flat_map(|one| PLAYERS.map(|two| (one, two)))
        {
            for number in 0..games {
                let (mut game, _) = Match::start(&rules, Seed::new([number; 32]));
                while let Some(seat) = game.to_act() {
                    actions += 1;
                    if actions.is_multiple_of(KEPT) && game.hand().phase() != Phase::Layoff {
                        positions.push(Position {
                            hand: game.hand().clone(),
                            seat,
                            held: game.hand().cards(seat.opponent()),
                        });
                    }
                    let bot = if seat == Seat::One { one } else { two };
                    let thinking = Thinking {
                        seed: actions,
                        ..Thinking::default()
                    };
                    let view = game.seat_view(seat).expect("the match goes on");
                    let action = bot.decide(&view, &thinking).expect("it is its turn");
                    let played = game.apply(&Command::Act { seat, action });
                    played.expect("bots play by the rules");
                }
            }
        }
        positions
    }

    /// The mean features of the hands held, and of hands drawn by these weights.
    fn features(
        batch: &[Position],
        weights: &[f32; FEATURES],
        seed: u64,
    ) -> ([f32; FEATURES], [f32; FEATURES]) {
        let (mut held, mut drawn) = ([0.0; FEATURES], [0.0; FEATURES]);
        let share = 1.0 / f32::from(u16::try_from(batch.len()).unwrap_or(u16::MAX));
        for (number, position) in (0u64..).zip(batch) {
            let view = SeatView::new(&position.hand, position.seat);
            let mut opponents = Opponents::new(&view, weights, seed + number);
            add(&mut held, opponents.features(position.held), share);
            for _ in 0..HANDS {
                let hand = opponents.next_hand();
                add(
                    &mut drawn,
                    opponents.features(hand),
                    share / f32::from(HANDS),
                );
            }
        }
        (held, drawn)
    }

    fn add(sum: &mut [f32; FEATURES], features: [f32; FEATURES], share: f32) {
        for (sum, feature) in sum.iter_mut().zip(features) {
            *sum += share * feature;
        }
    }

    /// Adam: a step is as long as its direction is sure.
    #[derive(Default)]
    struct Steps {
        taken: i32,
        mean: [f32; FEATURES],
        squares: [f32; FEATURES],
    }

    impl Steps {
        fn take(
            &mut self,
            weights: &mut [f32; FEATURES],
            held: &[f32; FEATURES],
            drawn: &[f32; FEATURES],
            rate: f32,
        ) {
            self.taken += 1;
            for at in 0..FEATURES {
                let uphill = held[at] - drawn[at] - 0.001 * weights[at];
                self.mean[at] = 0.9 * self.mean[at] + 0.1 * uphill;
                self.squares[at] = 0.99 * self.squares[at] + 0.01 * uphill * uphill;
                let mean = self.mean[at] / (1.0 - 0.9f32.powi(self.taken));
                let square = self.squares[at] / (1.0 - 0.99f32.powi(self.taken));
                weights[at] += rate * mean / (square.sqrt() + 1e-6);
            }
        }
    }
}
