//! One pass of one question over one set of inputs, to count instructions of.
//!
//! Without arguments it lists the questions and sets, one pair a line, parted by a tab. With a
//! question and a set it makes the pass and prints how many calls that were. Only what happens
//! inside [`counted`] is to be counted; reading the inputs comes before.

use std::hint::black_box;
use std::process::ExitCode;

use ginrummy_bench::{HAND_FILES, Spread, decks, hands, play_simple_bots, spreads};
use ginrummy_engine::{
    CardSet, Ruleset, Seed, best_arrangement, best_defence, best_discard, deadwood,
    deadwood_after_layoffs, price_discards,
};

const OF_ELEVEN: [&str; 3] = ["r11", "l11", "d11"];
const SPREADS: [&str; 1] = ["late"];
const DEALS: [&str; 1] = ["deals"];
const DEAL_COUNT: u32 = 500;

type Pass = fn(&str) -> usize;

/// What is counted: the question, the sets it is asked of, and a pass over one of them.
const QUESTIONS: [(&str, &[&str], Pass); 8] = [
    ("least deadwood", &HAND_FILES, |set| {
        over_hands(set, deadwood)
    }),
    ("with the arrangement", &HAND_FILES, |set| {
        over_hands(set, best_arrangement)
    }),
    ("best discard", &OF_ELEVEN, |set| {
        over_hands(set, |hand| best_discard(hand, None))
    }),
    ("all eleven discards", &OF_ELEVEN, |set| {
        over_hands(set, |hand| price_discards(hand, None))
    }),
    ("deadwood after the best layoffs", &SPREADS, |_| {
        over_spreads(|(melds, defender)| deadwood_after_layoffs(melds, *defender))
    }),
    ("whole defence", &SPREADS, |_| {
        over_spreads(|(melds, defender)| best_defence(melds, *defender))
    }),
    ("whole hand of two simple bots", &DEALS, |_| {
        let rules = Ruleset::named("short").expect("a ruleset").rules;
        over(&decks(DEAL_COUNT), |deck| play_simple_bots(&rules, deck))
    }),
    ("deck from its seed", &DEALS, |_| {
        let numbers: Vec<u32> = (1..=DEAL_COUNT).collect();
        over(&numbers, |number| Seed::new([5; 32]).deck(*number))
    }),
];

fn over_hands<T>(set: &str, answer: impl Fn(CardSet) -> T) -> usize {
    over(&hands(set), |hand| answer(*hand))
}

fn over_spreads<T>(answer: impl Fn(&Spread) -> T) -> usize {
    over(&spreads(), answer)
}

fn over<I, T>(inputs: &[I], answer: impl Fn(&I) -> T) -> usize {
    counted(&mut || {
        for input in inputs {
            black_box(answer(black_box(input)));
        }
    });
    inputs.len()
}

/// The only function that is counted, with all that it calls: callgrind knows it by its name.
#[inline(never)]
fn counted(pass: &mut dyn FnMut()) {
    pass();
    // Else the call would become a jump, and this function over before it.
    black_box(());
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => {
            for (question, sets, _) in QUESTIONS {
                for set in sets {
                    println!("{question}\t{set}");
                }
            }
            ExitCode::SUCCESS
        }
        [wanted, set] => {
            let asked = QUESTIONS
                .iter()
                .find(|(question, sets, _)| question == wanted && sets.contains(&set.as_str()));
            let Some((_, _, pass)) = asked else {
                eprintln!("unknown: {wanted} {set}");
                return ExitCode::FAILURE;
            };
            println!("{}", pass(set));
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("usage: counts [QUESTION SET]");
            ExitCode::FAILURE
        }
    }
}
