//! The file of results: a header, then a line a pair, so that a run that was stopped goes on.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ginrummy_engine::Rules;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::game::{Pair, eaai_rules};
use super::players::Contestant;

/// What the results depend on: whoever has the same header gets the same lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// SHA-256 of the engine's sources.
    pub engine: String,
    /// SHA-256 of the arena's players and game.
    pub players: String,
    pub one: String,
    pub two: String,
    pub seed: u64,
    /// Fixed before the first is played.
    pub games: u32,
    pub rules: Rules,
}

impl Header {
    #[must_use]
    pub fn of(contestants: [Contestant; 2], seed: u64, games: u32) -> Self {
        let [one, two] = contestants.map(|contestant| contestant.to_string());
        Self {
            engine: env!("ENGINE_HASH").to_owned(),
            players: env!("PLAYERS_HASH").to_owned(),
            one,
            two,
            seed,
            games,
            rules: eaai_rules(),
        }
    }

    /// The fields in which another header differs, each with both values.
    fn differences(&self, other: &Self) -> Vec<String> {
        let fields = |header: &Self| match serde_json::to_value(header) {
            Ok(Value::Object(fields)) => fields,
            _ => unreachable!("a header is an object"),
        };
        let (ours, theirs) = (fields(self), fields(other));
        ours.iter()
            .filter(|(name, value)| theirs[*name] != **value)
            .map(|(name, value)| format!("{name} {} there, {value} now", theirs[name]))
            .collect()
    }
}

/// Why results cannot be kept in a file.
#[derive(Debug)]
pub enum BadFile {
    Io(PathBuf, io::Error),
    NoResults(PathBuf, String),
    OtherRun(PathBuf, Vec<String>),
}

impl std::fmt::Display for BadFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::NoResults(path, problem) => {
                write!(
                    f,
                    "{} holds no results of an arena: {problem}",
                    path.display()
                )
            }
            Self::OtherRun(path, differences) => write!(
                f,
                "{} holds results of another run ({}): name another file with --results, or remove it",
                path.display(),
                differences.join("; ")
            ),
        }
    }
}

/// An open file of results.
pub struct Results {
    path: PathBuf,
    file: File,
    /// What was in it already, in order.
    pub pairs: Vec<Pair>,
}

impl Results {
    /// Opens a file of this very run, or begins it. A line that was cut off is forgotten.
    ///
    /// # Errors
    /// [`BadFile`] when it holds something else.
    pub fn open(path: &Path, header: &Header) -> Result<Self, BadFile> {
        let io_error = |error| BadFile::Io(path.to_owned(), error);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(io_error)?;
        }
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(io_error)?;
        let text = io::read_to_string(&file).map_err(io_error)?;
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        if whole.is_empty() && !line(header).starts_with(&text) {
            return Err(BadFile::NoResults(
                path.to_owned(),
                "line 1 is no header".to_owned(),
            ));
        }
        let pairs = read(path, whole, header)?;
        file.set_len(whole.len() as u64).map_err(io_error)?;
        file.seek(SeekFrom::End(0)).map_err(io_error)?;
        let mut results = Self {
            path: path.to_owned(),
            file,
            pairs,
        };
        if whole.is_empty() {
            results.write(header)?;
        }
        Ok(results)
    }

    /// Appends the next pair.
    ///
    /// # Errors
    /// [`BadFile`] when the file takes no more.
    pub fn append(&mut self, pair: &Pair) -> Result<(), BadFile> {
        self.write(pair)?;
        self.pairs.push(*pair);
        Ok(())
    }

    /// A line in one call, so that a run that is stopped leaves whole lines.
    fn write(&mut self, value: &impl Serialize) -> Result<(), BadFile> {
        self.file
            .write_all(line(value).as_bytes())
            .map_err(|error| BadFile::Io(self.path.clone(), error))
    }
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("results are plain values") + "\n"
}

/// The pairs in whole lines, which are numbered from 0 without a gap.
fn read(path: &Path, text: &str, header: &Header) -> Result<Vec<Pair>, BadFile> {
    let no_results = |problem: String| BadFile::NoResults(path.to_owned(), problem);
    let mut lines = text.lines();
    let Some(first) = lines.next() else {
        return Ok(Vec::new());
    };
    let found: Header =
        serde_json::from_str(first).map_err(|error| no_results(format!("line 1: {error}")))?;
    let differences = header.differences(&found);
    if !differences.is_empty() {
        return Err(BadFile::OtherRun(path.to_owned(), differences));
    }
    lines
        .zip(0..)
        .map(|(line, number)| {
            let at = number + 2;
            let pair: Pair = serde_json::from_str(line)
                .map_err(|error| no_results(format!("line {at}: {error}")))?;
            if pair.pair == number {
                Ok(pair)
            } else {
                Err(no_results(format!("line {at} holds pair {}", pair.pair)))
            }
        })
        .collect()
}
