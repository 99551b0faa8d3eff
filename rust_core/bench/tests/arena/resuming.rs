//! Runs that are stopped and go on.

use std::fs;
use std::path::{Path, PathBuf};

use ginrummy_bench::arena::game::eaai_rules;
use ginrummy_bench::arena::players::Contestant;
use ginrummy_bench::arena::results::{Header, Results};
use ginrummy_bench::arena::run::{Plan, play_from};
use ginrummy_bench::arena::summary::Summary;

const GAMES: u32 = 24;
const SEED: u64 = 9;

fn contestants() -> [Contestant; 2] {
    ["marjj", "eaai-simple"].map(|name| name.parse().unwrap())
}

fn header() -> Header {
    Header::of(contestants(), SEED, GAMES)
}

/// A file of its own for each test.
fn file(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("arena-{name}.jsonl"));
    let _ = fs::remove_file(&path);
    path
}

fn run(path: &Path, threads: usize) -> Summary {
    let mut results = Results::open(path, &header()).unwrap_or_else(|bad| panic!("{bad}"));
    let plan = Plan {
        contestants: contestants(),
        rules: eaai_rules(),
        seed: SEED,
        pairs: GAMES / 2,
        threads,
    };
    let first = u32::try_from(results.pairs.len()).unwrap();
    play_from(&plan, first, |pair, _| results.append(pair)).unwrap_or_else(|bad| panic!("{bad}"));
    Summary::of(&results.pairs)
}

fn refusal(path: &Path, header: &Header) -> String {
    match Results::open(path, header) {
        Ok(_) => panic!("it was taken"),
        Err(bad) => bad.to_string(),
    }
}

#[test]
fn a_run_that_was_stopped_anywhere_ends_as_one_that_was_not() {
    let whole = file("whole");
    let summary = run(&whole, 1);
    assert_eq!(summary.games(), GAMES);
    let text = fs::read(&whole).unwrap();
    let stopped = file("stopped");
    for at in (0..text.len()).step_by(331) {
        fs::write(&stopped, &text[..at]).unwrap();
        assert_eq!(run(&stopped, 1 + at % 3).pairs, summary.pairs);
        assert!(
            fs::read(&stopped).unwrap() == text,
            "stopped after {at} bytes"
        );
    }
}

#[test]
fn results_of_other_sources_or_another_run_are_refused_with_the_difference() {
    let path = file("other");
    run(&path, 2);
    let before = fs::read(&path).unwrap();
    let engine = Header {
        engine: "of another engine".to_owned(),
        ..header()
    };
    let told = refusal(&path, &engine);
    assert!(
        told.contains("engine") && told.contains("of another engine"),
        "{told}"
    );
    let players = Header {
        players: "others".to_owned(),
        ..header()
    };
    assert!(refusal(&path, &players).contains("players"));
    let longer = Header {
        games: GAMES + 2,
        ..header()
    };
    assert!(refusal(&path, &longer).contains("games 24 there, 26 now"));
    assert!(
        fs::read(&path).unwrap() == before,
        "a refused file stays as it is"
    );
}

#[test]
fn what_holds_no_results_is_refused_and_left_alone() {
    let path = file("letter");
    fs::write(&path, "Dear reader,\n").unwrap();
    assert!(refusal(&path, &header()).contains("line 1"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "Dear reader,\n");
    let path = file("letter-without-end");
    fs::write(&path, "Dear reader").unwrap();
    assert!(refusal(&path, &header()).contains("holds no results"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "Dear reader");
}

#[test]
fn a_pair_that_is_missing_is_noticed() {
    let path = file("gap");
    run(&path, 1);
    let text = fs::read_to_string(&path).unwrap();
    let gap: Vec<&str> = text
        .lines()
        .enumerate()
        .filter(|(i, _)| *i != 2)
        .map(|(_, l)| l)
        .collect();
    fs::write(&path, gap.join("\n") + "\n").unwrap();
    assert!(refusal(&path, &header()).contains("line 3 holds pair 2"));
}

#[test]
fn who_plays_without_chance_shares_every_pair_with_himself() {
    let simple: Contestant = "simple".parse().unwrap();
    let plan = Plan {
        contestants: [simple; 2],
        rules: eaai_rules(),
        seed: SEED,
        pairs: 40,
        threads: 2,
    };
    let mut pairs = Vec::new();
    let taken: Result<(), ()> = play_from(&plan, 0, |pair, _| {
        pairs.push(*pair);
        Ok(())
    });
    assert_eq!(taken, Ok(()));
    assert_eq!(Summary::of(&pairs).pairs, [0, 40, 0]);
}

#[test]
fn players_are_known_by_name_and_others_refused_with_the_list() {
    for name in [
        "simple",
        "marjj",
        "eaai-simple",
        "monte-carlo:64",
        "expert",
        "expert:64",
    ] {
        assert_eq!(name.parse::<Contestant>().unwrap().to_string(), name);
    }
    let strongest: Contestant = "monte-carlo".parse().unwrap();
    assert_eq!(strongest.to_string(), "monte-carlo:512");
    for bad in [
        "nobody",
        "monte-carlo:0",
        "monte-carlo:many",
        "marjj:3",
        "easy:3",
    ] {
        assert!(bad.parse::<Contestant>().is_err(), "{bad}");
    }
    assert!(
        "nobody"
            .parse::<Contestant>()
            .unwrap_err()
            .contains("eaai-simple")
    );
}
