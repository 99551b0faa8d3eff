//! The engine as a Python module.

use pyo3::prelude::*;

/// `ginrummy.engine._core`.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    /// The engine's version.
    #[pyfunction]
    fn engine_version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}
