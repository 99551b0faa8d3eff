//! How sure a share of won games is.
//!
//! The two games of a pair have the same deals, so they are not independent: **the pair is the
//! unit**. The variance of the share is that of the pairs' own shares (0, a half or 1), and Wilson's
//! interval is taken for as many independent games as would have that variance (the effective
//! sample size; Kott and Carr 1997, Franco et al. 2019).

/// The normal distribution's 97.5 % point.
const Z: f64 = 1.959_963_984_540_054;

/// With fewer pairs, or none that differs, the sample says too little of its variance: each pair
/// then counts as one game, which is at least as wide.
const FEWEST_PAIRS: u32 = 30;

/// A share with its interval of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    pub share: f64,
    pub low: f64,
    pub high: f64,
}

/// The share of games won, from the number of pairs in which 0, 1 and 2 games were won.
///
/// Nothing played says nothing: the half, between 0 and 1.
#[must_use]
pub fn share_of_pairs(pairs: [u32; 3]) -> Share {
    let count: u32 = pairs.iter().sum();
    if count == 0 {
        return Share {
            share: 0.5,
            low: 0.0,
            high: 1.0,
        };
    }
    let n = f64::from(count);
    let [_, split, both] = pairs.map(f64::from);
    let share = (both + split / 2.0) / n;
    let variance = (both + split / 4.0 - n * share * share) / (n - 1.0).max(1.0);
    let games = if count < FEWEST_PAIRS || variance <= 0.0 {
        n
    } else {
        share * (1.0 - share) * n / variance
    };
    let (low, high) = wilson(share, games);
    Share { share, low, high }
}

/// Wilson's interval for this share of so many independent games.
fn wilson(share: f64, games: f64) -> (f64, f64) {
    let z2 = Z * Z;
    let middle = (share + z2 / (2.0 * games)) / (1.0 + z2 / games);
    let half = Z / (1.0 + z2 / games)
        * (share * (1.0 - share) / games + z2 / (4.0 * games * games)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}
