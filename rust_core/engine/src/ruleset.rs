//! The four named rulesets, and custom options over them.

use serde::Serialize;

use crate::rules::{
    DEFAULT_BIG_GIN_BONUS, DealerRule, InvalidOption, MeldChoice, Oklahoma, Overrides, PileView,
    Rules, Shutout, Wall,
};

/// A product's published rules with the defaults of its tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Ruleset {
    pub name: &'static str,
    pub rules: Rules,
    /// Default allowance for one decision in seconds; 0 means no clock.
    pub turn_time_s: u32,
    /// The permitted allowances in seconds; empty means any.
    pub turn_times_s: &'static [u32],
    /// Whether a match gives hints when it does not say.
    pub hints: bool,
    /// The bot this ruleset's product seats, if any.
    pub usual_bot: Option<&'static str>,
}

/// What the four rulesets share; each says below where it differs.
const COMMON: Rules = Rules {
    upcard_offer: true,
    knock_limit: 10,
    knocker_melds: MeldChoice::Auto,
    layoffs: MeldChoice::Auto,
    gin_bonus: 25,
    undercut_bonus: 25,
    undercut_on_tie: true,
    big_gin: false,
    big_gin_bonus: 0,
    oklahoma: Oklahoma::Off,
    spades_double: false,
    wall: Wall::Dead,
    allow_discard_taken: false,
    layoff_on_gin: false,
    target: 100,
    dealer_rule: DealerRule::Alternate,
    box_bonus: 0,
    boxes_immediate: false,
    game_bonus: 0,
    shutout: Shutout::None,
    shutout_flat_bonus: 0,
    hollywood: false,
    pile_view: PileView::All,
    knock_card_face_down: false,
};

const PLAYGRIDIA: Ruleset = Ruleset {
    name: "playgridia",
    rules: Rules {
        upcard_offer: false,
        target: 0,
        pile_view: PileView::TopOnly,
        ..COMMON
    },
    turn_time_s: 45,
    turn_times_s: &[30, 45, 60, 90, 600],
    hints: true,
    usual_bot: None,
};

const SOLO: Ruleset = Ruleset {
    name: "solo",
    rules: Rules {
        knocker_melds: MeldChoice::Declared,
        layoffs: MeldChoice::Either,
        ..COMMON
    },
    turn_time_s: 0,
    turn_times_s: &[],
    hints: true,
    usual_bot: Some("heuristic"),
};

const KAWU: Ruleset = Ruleset {
    name: "kawu",
    rules: Rules {
        knocker_melds: MeldChoice::Either,
        layoffs: MeldChoice::Either,
        dealer_rule: DealerRule::Winner,
        box_bonus: 25,
        game_bonus: 100,
        shutout: Shutout::DoubleGameBonus,
        knock_card_face_down: true,
        ..COMMON
    },
    turn_time_s: 0,
    turn_times_s: &[],
    hints: false,
    usual_bot: Some("simple"),
};

const SHORT: Ruleset = Ruleset {
    name: "short",
    rules: Rules {
        big_gin: true,
        big_gin_bonus: DEFAULT_BIG_GIN_BONUS,
        target: 50,
        box_bonus: 25,
        game_bonus: 100,
        shutout: Shutout::DoubleHandPoints,
        ..COMMON
    },
    turn_time_s: 0,
    turn_times_s: &[],
    hints: false,
    usual_bot: Some("simple"),
};

impl Ruleset {
    pub const ALL: [Self; 4] = [PLAYGRIDIA, SOLO, KAWU, SHORT];

    /// ```
    /// use ginrummy_engine::Ruleset;
    /// assert_eq!(Ruleset::named("short").unwrap().rules.target, 50);
    /// assert!(Ruleset::named("bridge").is_none());
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ruleset| ruleset.name == name)
    }

    /// The rules of a match: this ruleset's with the given options over them.
    ///
    /// # Errors
    /// [`InvalidOption`] names the option that is out of range or contradicts another.
    ///
    /// ```
    /// use ginrummy_engine::{Overrides, Ruleset};
    /// let overrides = Overrides { knock_limit: Some(11), ..Overrides::default() };
    /// let refused = Ruleset::named("short").unwrap().with(overrides).unwrap_err();
    /// assert_eq!(refused.to_string(), "knock_limit: 11 is out of range: 0 to 10");
    /// ```
    pub fn with(&self, overrides: Overrides) -> Result<Rules, InvalidOption> {
        let mut rules = overrides.over(self.rules);
        if overrides.big_gin_bonus.is_none() {
            rules.big_gin_bonus = match (rules.big_gin, self.rules.big_gin) {
                (false, _) => 0,
                (true, false) => DEFAULT_BIG_GIN_BONUS,
                (true, true) => self.rules.big_gin_bonus,
            };
        }
        if overrides.shutout_flat_bonus.is_none() && rules.shutout != Shutout::FlatBonus {
            rules.shutout_flat_bonus = 0;
        }
        rules.check()?;
        Ok(rules)
    }

    /// Whether a match of this ruleset may allow this many seconds for a decision (0: no clock).
    ///
    /// # Errors
    /// [`InvalidOption`] for `turn_time` with the permitted ones.
    pub fn check_turn_time(&self, turn_time_s: u32) -> Result<(), InvalidOption> {
        if self.turn_times_s.is_empty() || self.turn_times_s.contains(&turn_time_s) {
            return Ok(());
        }
        let allowed: Vec<_> = self.turn_times_s.iter().map(u32::to_string).collect();
        let problem = format!(
            "{turn_time_s} s is not offered by {}: {} s",
            self.name,
            allowed.join(", ")
        );
        Err(InvalidOption::new("turn_time", problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(overrides: Overrides) -> &'static str {
        Ruleset::named("short")
            .unwrap()
            .with(overrides)
            .unwrap_err()
            .option
    }

    fn unset() -> Overrides {
        Overrides::default()
    }

    #[test]
    fn every_ruleset_passes_its_own_check_and_reads_back_as_overrides() {
        for ruleset in Ruleset::ALL {
            assert_eq!(ruleset.with(unset()), Ok(ruleset.rules));
            assert_eq!(ruleset.with(ruleset.rules.into()), Ok(ruleset.rules));
        }
    }

    #[test]
    fn contradictions_are_refused_with_the_options_name() {
        let single_hand = Overrides {
            hollywood: Some(true),
            target: Some(0),
            ..unset()
        };
        assert_eq!(refused(single_hand), "hollywood");
        assert_eq!(
            refused(Overrides {
                spades_double: Some(true),
                ..unset()
            }),
            "spades_double"
        );
        let straight = Overrides {
            oklahoma: Some(Oklahoma::AceIsOne),
            knock_limit: Some(0),
            ..unset()
        };
        assert_eq!(refused(straight), "oklahoma");
        let switched_off = Overrides {
            big_gin: Some(false),
            big_gin_bonus: Some(31),
            ..unset()
        };
        assert_eq!(refused(switched_off), "big_gin_bonus");
        assert_eq!(
            refused(Overrides {
                shutout_flat_bonus: Some(1),
                ..unset()
            }),
            "shutout_flat_bonus"
        );
        let flat = Overrides {
            shutout: Some(Shutout::FlatBonus),
            ..unset()
        };
        assert_eq!(refused(flat), "shutout_flat_bonus");
        assert_eq!(
            refused(Overrides {
                layoffs: Some(MeldChoice::Declared),
                ..unset()
            }),
            "layoffs"
        );
    }

    #[test]
    fn numbers_out_of_range_are_refused_with_the_options_name() {
        assert_eq!(
            refused(Overrides {
                knock_limit: Some(11),
                ..unset()
            }),
            "knock_limit"
        );
        assert_eq!(
            refused(Overrides {
                target: Some(49),
                ..unset()
            }),
            "target"
        );
        assert_eq!(
            refused(Overrides {
                target: Some(501),
                ..unset()
            }),
            "target"
        );
        assert_eq!(
            refused(Overrides {
                gin_bonus: Some(1001),
                ..unset()
            }),
            "gin_bonus"
        );
        assert_eq!(
            refused(Overrides {
                box_bonus: Some(u32::MAX),
                ..unset()
            }),
            "box_bonus"
        );
    }

    #[test]
    fn turning_big_gin_on_brings_its_usual_bonus_and_off_takes_it_away() {
        let kawu = Ruleset::named("kawu").unwrap();
        let on = kawu
            .with(Overrides {
                big_gin: Some(true),
                ..unset()
            })
            .unwrap();
        assert_eq!(on.big_gin_bonus, 31);
        let short = Ruleset::named("short").unwrap();
        let off = short
            .with(Overrides {
                big_gin: Some(false),
                ..unset()
            })
            .unwrap();
        assert_eq!(off.big_gin_bonus, 0);
    }

    #[test]
    fn playgridia_permits_its_listed_turn_times_alone() {
        let playgridia = Ruleset::named("playgridia").unwrap();
        assert_eq!(playgridia.check_turn_time(45), Ok(()));
        assert_eq!(
            playgridia.check_turn_time(0).unwrap_err().option,
            "turn_time"
        );
        assert_eq!(Ruleset::named("short").unwrap().check_turn_time(7), Ok(()));
    }
}
