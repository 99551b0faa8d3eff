//! The options of the game, and which of them go together.

use serde::{Deserialize, Serialize};

/// Who chooses melds: the engine, the player, or the player when he cares to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeldChoice {
    Auto,
    Declared,
    Either,
}

/// Whether the first upcard sets the knock limit, and what an ace means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Oklahoma {
    Off,
    AceIsOne,
    AceIsGin,
}

/// What happens after a discard that leaves two cards in the stock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wall {
    /// The hand is dead.
    Dead,
    /// The opponent may take that discard if he then knocks.
    LastChance,
}

/// Who deals after a scored hand. After a dead hand the same dealer deals again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DealerRule {
    Alternate,
    Winner,
    Loser,
}

/// What the winner gets when the loser won no hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shutout {
    None,
    DoubleGameBonus,
    DoubleHandPoints,
    DoubleTotal,
    DoubleTotalBeforeBoxes,
    /// `shutout_flat_bonus` on top.
    FlatBonus,
}

/// How much of the discard pile is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PileView {
    All,
    TopOnly,
}

/// Defines [`Rules`] and [`Overrides`] from one list of options, so that they cannot drift apart.
macro_rules! options {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        /// Every option of the game, all set: the result of [`Ruleset::with`](crate::Ruleset::with).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Rules { $($(#[$doc])* pub $name: $type,)* }

        /// Options that differ from a base ruleset; unset means as in the base.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Overrides { $($(#[$doc])* pub $name: Option<$type>,)* }

        impl Overrides {
            pub(crate) fn over(self, base: Rules) -> Rules {
                Rules { $($name: self.$name.unwrap_or(base.$name),)* }
            }
        }

        impl From<Rules> for Overrides {
            fn from(rules: Rules) -> Self {
                Self { $($name: Some(rules.$name),)* }
            }
        }
    };
}

options! {
    upcard_offer: bool,
    /// Most deadwood points a knock may leave, 0 to 10; 0 is straight gin.
    knock_limit: u32,
    knocker_melds: MeldChoice,
    /// `Auto` or `Either`.
    layoffs: MeldChoice,
    gin_bonus: u32,
    undercut_bonus: u32,
    /// Off: equal deadwood scores nothing.
    undercut_on_tie: bool,
    big_gin: bool,
    /// 0 while big gin is off.
    big_gin_bonus: u32,
    oklahoma: Oklahoma,
    spades_double: bool,
    wall: Wall,
    allow_discard_taken: bool,
    layoff_on_gin: bool,
    /// 50 to 500 points, or 0 for a single hand.
    target: u32,
    dealer_rule: DealerRule,
    box_bonus: u32,
    boxes_immediate: bool,
    game_bonus: u32,
    shutout: Shutout,
    /// 0 unless `shutout` is `FlatBonus`.
    shutout_flat_bonus: u32,
    hollywood: bool,
    pile_view: PileView,
    knock_card_face_down: bool,
}

/// The largest bonus an option may set, in points.
pub const MAX_BONUS: u32 = 1000;
/// The bonus for big gin where a match turns it on without naming one.
pub const DEFAULT_BIG_GIN_BONUS: u32 = 31;

/// An option that a match may not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{option}: {problem}")]
pub struct InvalidOption {
    /// The option's name, as in [`Rules`].
    pub option: &'static str,
    /// What is wrong and what is allowed.
    pub problem: String,
}

impl InvalidOption {
    pub(crate) fn new(option: &'static str, problem: impl Into<String>) -> Self {
        Self {
            option,
            problem: problem.into(),
        }
    }
}

impl Rules {
    /// Options that contradict each other or are out of range.
    pub(crate) fn check(&self) -> Result<(), InvalidOption> {
        self.check_ranges()?;
        let refused = |option, problem: &str| Err(InvalidOption::new(option, problem));
        if self.layoffs == MeldChoice::Declared {
            return refused("layoffs", "declared is not allowed: use auto or either");
        }
        if self.hollywood && self.target == 0 {
            return refused(
                "hollywood",
                "needs a target of 50 to 500: a single hand has no columns",
            );
        }
        if self.spades_double && self.oklahoma == Oklahoma::Off {
            return refused(
                "spades_double",
                "needs oklahoma: without it no upcard counts double",
            );
        }
        if self.oklahoma != Oklahoma::Off && self.knock_limit == 0 {
            return refused(
                "oklahoma",
                "needs a knock limit above 0: straight gin has no limit to set",
            );
        }
        if !self.big_gin && self.big_gin_bonus > 0 {
            return refused(
                "big_gin_bonus",
                "needs big_gin on: turn it on or leave the bonus out",
            );
        }
        match (self.shutout == Shutout::FlatBonus, self.shutout_flat_bonus) {
            (true, 0) => refused(
                "shutout_flat_bonus",
                "is required by shutout flat_bonus: 1 to 1000",
            ),
            (false, 1..) => refused("shutout_flat_bonus", "needs shutout flat_bonus"),
            _ => Ok(()),
        }
    }

    fn check_ranges(&self) -> Result<(), InvalidOption> {
        if self.knock_limit > 10 {
            let problem = format!("{} is out of range: 0 to 10", self.knock_limit);
            return Err(InvalidOption::new("knock_limit", problem));
        }
        if self.target != 0 && !(50..=500).contains(&self.target) {
            let problem = format!(
                "{} is out of range: 50 to 500, or 0 for a single hand",
                self.target
            );
            return Err(InvalidOption::new("target", problem));
        }
        let bonuses = [
            ("gin_bonus", self.gin_bonus),
            ("undercut_bonus", self.undercut_bonus),
            ("big_gin_bonus", self.big_gin_bonus),
            ("box_bonus", self.box_bonus),
            ("game_bonus", self.game_bonus),
            ("shutout_flat_bonus", self.shutout_flat_bonus),
        ];
        match bonuses.into_iter().find(|(_, bonus)| *bonus > MAX_BONUS) {
            Some((option, bonus)) => {
                let problem = format!("{bonus} is out of range: 0 to {MAX_BONUS}");
                Err(InvalidOption::new(option, problem))
            }
            None => Ok(()),
        }
    }
}
