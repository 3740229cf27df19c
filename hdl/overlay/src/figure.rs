//! Figures that follow from a config.

/// A figure as `show` and `diff` print it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Name.
    pub name: &'static str,
    /// In words.
    pub value: String,
    /// The short form that `list` prints, for those that it does.
    pub column: Option<Column>,
}

/// A cell of `list`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Head of its column.
    pub head: &'static str,
    /// Value.
    pub cell: String,
}
