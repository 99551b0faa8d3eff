//! The measured times as a small table beside those of a good table-driven solver.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// One row: the bench group, and what to compare each of its benches with, in ns a call.
pub struct Row {
    pub group: &'static str,
    pub references: &'static [(&'static str, Option<f64>)],
}

/// Prints ns a call for each bench of these rows that was measured: least of the samples / median,
/// and in brackets the reference. On a busy machine the least repeats best.
pub fn print(rows: &[Row], calls: impl Fn(&str) -> usize) {
    println!(
        "\nns a call: least / median of the samples (reference: a table-driven solver elsewhere)"
    );
    for row in rows {
        let columns: Vec<String> = row
            .references
            .iter()
            .filter_map(|&(bench, reference)| {
                let (least, median) = measured(row.group, bench, calls(bench))?;
                let reference = reference.map(|ns| format!(" ({ns})")).unwrap_or_default();
                Some(format!("{bench} {least:.1} / {median:.1}{reference}"))
            })
            .collect();
        if !columns.is_empty() {
            println!("{:<36} {}", row.group, columns.join("   "));
        }
    }
}

/// Least and median ns a call over the samples of the last run; none when it was never measured.
#[allow(clippy::cast_precision_loss, reason = "counts of calls are small")]
fn measured(group: &str, bench: &str, calls: usize) -> Option<(f64, f64)> {
    let path = criterion_folder()
        .join(group)
        .join(bench)
        .join("new/sample.json");
    let sample: Value = serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
    let numbers = |key: &str| -> Option<Vec<f64>> {
        sample[key].as_array()?.iter().map(Value::as_f64).collect()
    };
    let mut ns: Vec<f64> = numbers("times")?
        .iter()
        .zip(numbers("iters")?)
        .map(|(time, iterations)| time / iterations / calls as f64)
        .collect();
    ns.sort_by(f64::total_cmp);
    Some((*ns.first()?, *ns.get(ns.len() / 2)?))
}

fn criterion_folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("target"),
        PathBuf::from,
    );
    target.join("criterion")
}
