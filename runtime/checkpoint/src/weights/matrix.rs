//! A dense f32 matrix, row-major.

/// `rows` x `columns` floats; row `r` is `data[r * columns..][..columns]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Number of rows.
    pub rows: usize,
    /// Length of each row.
    pub columns: usize,
    /// Elements, row by row.
    pub data: Vec<f32>,
}

impl Matrix {
    /// One row.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn row(&self, row: usize) -> &[f32] {
        &self.data[row * self.columns..][..self.columns]
    }
}
