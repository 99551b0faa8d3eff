//! Plays two players against each other: `make arena ARGS="--one expert --two marjj --games 1300"`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ginrummy_bench::arena::game::{Effort, eaai_rules};
use ginrummy_bench::arena::players::{Contestant, names};
use ginrummy_bench::arena::results::{BadFile, Header, Results};
use ginrummy_bench::arena::run::{Plan, play_from};
use ginrummy_bench::arena::summary::{Summary, effort};

const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// What the command line asks for.
struct Wanted {
    contestants: [Contestant; 2],
    games: u32,
    seed: u64,
    threads: usize,
    results: PathBuf,
    json: bool,
}

fn usage() -> String {
    format!(
        "usage: arena --one PLAYER --two PLAYER --games N [--seed N] [--threads N] [--results FILE] [--json]\n\
         players: {}; expert:64 samples 64 worlds a decision\n\
         Each deal sequence is played twice with the seats swapped, so N is even. Results are kept in\n\
         FILE, target/arena/ONE-TWO-N-SEED.jsonl by default, and a run that was stopped goes on there.",
        names().join(", ")
    )
}

fn wanted(mut arguments: impl Iterator<Item = String>) -> Result<Wanted, String> {
    let (mut one, mut two, mut games) = (None, None, None);
    let (mut seed, mut threads, mut results, mut json) = (1, 1, None, false);
    while let Some(option) = arguments.next() {
        if option == "--json" {
            json = true;
            continue;
        }
        let known = [
            "--one",
            "--two",
            "--games",
            "--seed",
            "--threads",
            "--results",
        ];
        if !known.contains(&option.as_str()) {
            return Err(format!("{option}: no such option"));
        }
        let value = arguments.next().ok_or(format!("{option} needs a value"))?;
        let number = || {
            let number = value.parse::<u64>().ok();
            number.ok_or(format!("{option} {value}: a number is needed"))
        };
        match option.as_str() {
            "--one" => one = Some(value.parse::<Contestant>()?),
            "--two" => two = Some(value.parse::<Contestant>()?),
            "--games" => games = Some(number()?),
            "--seed" => seed = number()?,
            "--threads" => threads = number()?,
            _ => results = Some(PathBuf::from(value)),
        }
    }
    let (Some(one), Some(two), Some(games)) = (one, two, games) else {
        return Err("--one, --two and --games are needed".to_owned());
    };
    let games = match u32::try_from(games) {
        Ok(games) if games > 0 && games % 2 == 0 => games,
        _ => {
            return Err(format!(
                "--games {games}: an even number from 2 on is needed"
            ));
        }
    };
    let Ok(threads @ 1..=1024) = usize::try_from(threads) else {
        return Err(format!("--threads {threads}: 1 to 1024"));
    };
    let name = format!("{one}-{two}-{games}-{seed}.jsonl").replace(':', "_");
    Ok(Wanted {
        contestants: [one, two],
        games,
        seed,
        threads,
        results: results.unwrap_or_else(|| PathBuf::from("target/arena").join(name)),
        json,
    })
}

fn play(wanted: &Wanted) -> Result<(), BadFile> {
    let header = Header::of(wanted.contestants, wanted.seed, wanted.games);
    let mut results = Results::open(&wanted.results, &header)?;
    let mut summary = Summary::of(&results.pairs);
    let (resumed, start) = (summary.games(), Instant::now());
    if resumed > 0 {
        eprintln!("{} holds {resumed} games already", wanted.results.display());
    }
    let plan = Plan {
        contestants: wanted.contestants,
        rules: eaai_rules(),
        seed: wanted.seed,
        pairs: wanted.games / 2,
        threads: wanted.threads,
    };
    let (mut spent, mut told) = (Effort::default(), start);
    play_from(&plan, resumed / 2, |pair, effort| {
        results.append(pair)?;
        summary.add(pair);
        spent.add(effort);
        if told.elapsed() >= BETWEEN_LINES {
            told = Instant::now();
            let now = summary.games() - resumed;
            eprintln!("{}", summary.progress(&header, now, start.elapsed()));
        }
        Ok(())
    })?;
    let now = summary.games() - resumed;
    if now > 0 {
        eprintln!(
            "{} games in {:.0} s; {}",
            now,
            start.elapsed().as_secs_f64(),
            effort(&header, &spent, now)
        );
    }
    if wanted.json {
        println!("{}", summary.json(&header));
    } else {
        println!("{}", summary.table(&header));
    }
    Ok(())
}

fn main() -> ExitCode {
    let wanted = match wanted(std::env::args().skip(1)) {
        Ok(wanted) => wanted,
        Err(problem) => {
            eprintln!("{problem}\n{}", usage());
            return ExitCode::from(2);
        }
    };
    match play(&wanted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
