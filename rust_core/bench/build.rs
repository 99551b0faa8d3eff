//! Names what an arena's results depend on: hashes of the engine's sources and of the players'.
//!
//! They are taken when the program is built, so that it speaks of what it was built from.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let engine = ["../engine/Cargo.toml", "../engine/src"];
    let players = ["Cargo.toml", "src/arena/players", "src/arena/game.rs"];
    for (name, places) in [
        ("ENGINE_HASH", engine.as_slice()),
        ("PLAYERS_HASH", &players),
    ] {
        println!("cargo::rustc-env={name}={}", hash(places));
        for place in places {
            println!("cargo::rerun-if-changed={place}");
        }
    }
}

/// SHA-256 over the files' names, lengths and bytes, in the order of their names.
fn hash(places: &[&str]) -> String {
    let mut files = Vec::new();
    for place in places {
        collect(Path::new(place), &mut files);
    }
    files.sort();
    let mut hasher = Sha256::new();
    for file in files {
        let bytes = fs::read(&file).expect("a source file can be read");
        hasher.update(format!("{}\n{}\n", file.display(), bytes.len()));
        hasher.update(bytes);
    }
    hasher
        .finalize()
        .iter()
        .fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").expect("a string takes what is written");
            hex
        })
}

fn collect(place: &Path, files: &mut Vec<PathBuf>) {
    if place.is_dir() {
        for entry in fs::read_dir(place).expect("a source folder can be read") {
            collect(&entry.expect("a source folder can be read").path(), files);
        }
    } else {
        files.push(place.to_owned());
    }
}
