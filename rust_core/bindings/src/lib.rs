//! The engine as the Python module `ginrummy.engine._core`: wrappers, no rules.

// An argument is extracted by value; its function is called from Python alone.
#![allow(clippy::needless_pass_by_value)]

mod args;
mod batch;
mod errors;
mod plain;
mod play;
mod quick;
mod simulation;
mod solver;
mod step;
mod table;
mod thinking;
mod wire;

use pyo3::prelude::*;

/// The compiled engine. Import it through `ginrummy.engine`.
#[pymodule]
mod _core {
    use pyo3::panic::PanicException;
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::batch::{
        arrangement_batch, best_discard_batch, deadwood_batch, defence_batch, price_discards_batch,
        solve_batch,
    };
    #[pymodule_export]
    use crate::play::{PyHand, PyLedger, PyMatch};
    #[pymodule_export]
    use crate::simulation::{PyPairing, PyTally};
    #[pymodule_export]
    use crate::solver::{
        best_arrangement, best_defence, best_discard, deadwood, from_mask, minimal_arrangements,
        parse_cards, price_discards, score_hand, to_mask,
    };
    #[pymodule_export]
    use crate::step::PyStep;
    #[pymodule_export]
    use crate::table::{
        bots, check_turn_time, commitment, deck, default_samples, first_dealer, next_dealer,
        replayed_to, resolve_rules, rulesets, seen_by,
    };
    #[pymodule_export]
    use crate::thinking::PyCancel;
    #[pymodule_export]
    use crate::wire::{
        action, analyze_hands, find_layoffs, hand_cards, match_event, match_events, match_view,
    };

    #[pymodule_export]
    const RULES_VERSION: u32 = ginrummy_engine::RULES_VERSION;

    /// The version and the exceptions, so that the module is whole.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::errors::tell_panics_by_place();
        module.add("Panic", module.py().get_type::<PanicException>())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        let errors = module.py().import("ginrummy.engine.errors")?;
        for name in [
            "EngineError",
            "InvalidCards",
            "InvalidOption",
            "InvalidPosition",
            "Violation",
        ] {
            module.add(name, errors.getattr(name)?)?;
        }
        Ok(())
    }
}
