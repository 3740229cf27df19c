//! How many registers a computation passes.

/// By the clock of an overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Few, for a slow clock.
    Short,
    /// Many, for a fast one.
    Deep,
}

impl Depth {
    /// Deep if `deep`.
    #[must_use]
    pub fn of(deep: bool) -> Self {
        if deep { Depth::Deep } else { Depth::Short }
    }

    /// Whether there are further registers.
    #[must_use]
    pub fn is_deep(self) -> bool {
        self == Depth::Deep
    }

    /// The name of a module that depends on it.
    #[must_use]
    pub fn name(self, base: &str) -> String {
        match self {
            Depth::Short => base.to_string(),
            Depth::Deep => format!("{base}_deep"),
        }
    }
}
