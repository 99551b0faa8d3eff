//! What the benches measure on, and how they show it.

use std::fs;
use std::path::PathBuf;

use ginrummy_engine::{Bot, CardSet, Deck, Hand, Meld, Rules, Seat, SeatView, Seed, Thinking};

#[cfg(feature = "arena")]
pub mod arena;
pub mod summary;

/// The files of measured hands: uniform random (`r`), late in a hand (`l`) and dense (`d`), ten
/// and eleven cards.
pub const HAND_FILES: [&str; 6] = ["r10", "r11", "l10", "l11", "d10", "d11"];

/// The hands of one file.
///
/// # Panics
/// When the file is missing or holds something else.
#[must_use]
pub fn hands(file: &str) -> Vec<CardSet> {
    let text = read(&format!("hands_{file}.txt"));
    text.lines()
        .map(|line| cards(line.split(' ').next().unwrap_or_default()))
        .collect()
}

/// A knocker's melds and the defender's ten cards.
pub type Spread = (Vec<Meld>, CardSet);

/// The spreads to lay off on, taken from late knocks.
///
/// # Panics
/// When the file is missing or holds something else.
#[must_use]
pub fn spreads() -> Vec<Spread> {
    let spread = |line: &str| {
        let mut fields = line.split(' ');
        let melds =
            fields.next().unwrap_or_default().split('|').map(|meld| {
                Meld::try_from(cards(meld)).expect("melds stand before the first space")
            });
        (melds.collect(), cards(fields.next().unwrap_or_default()))
    };
    read("layoffs.txt").lines().map(spread).collect()
}

/// The first decks of one seed, always the same.
#[must_use]
pub fn decks(count: u32) -> Vec<Deck> {
    let seed = Seed::new([5; 32]);
    (1..=count).map(|number| seed.deck(number)).collect()
}

/// A whole hand of two simple bots through `Hand::apply` and `SeatView`, as the service plays it:
/// the winner's points.
///
/// # Panics
/// When a bot breaks a rule.
#[must_use]
pub fn play_simple_bots(rules: &Rules, deck: &Deck) -> u32 {
    let mut hand = Hand::deal(rules, deck, Seat::One);
    while let Some(seat) = hand.to_act() {
        let action = Bot::Simple
            .decide(&SeatView::new(&hand, seat), &Thinking::default())
            .expect("it is its turn");
        hand.apply(seat, &action).expect("bots play by the rules");
    }
    hand.result().map_or(0, |result| result.points)
}

fn read(file: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/data/bench")
        .join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn cards(hex: &str) -> CardSet {
    let mask = u64::from_str_radix(hex, 16).expect("cards are a mask in hex");
    CardSet::from_mask(mask).expect("a mask has 52 bits")
}
