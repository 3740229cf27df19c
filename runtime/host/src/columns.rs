//! Aligned text: columns as wide as their widest cell.

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Names.
    Left,
    /// Numbers.
    Right,
}

/// Rows as lines; columns are two spaces apart. Every row has a cell for each column.
pub fn lines(align: &[Align], rows: &[Vec<String>]) -> Vec<String> {
    let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..align.len()).map(width).collect();
    let cell = |i: usize, text: &str| match align[i] {
        Align::Left => format!("{text:<0$}", widths[i]),
        Align::Right => format!("{text:>0$}", widths[i]),
    };
    let line = |row: &Vec<String>| row.iter().enumerate().map(|(i, text)| cell(i, text)).collect::<Vec<_>>().join("  ");
    rows.iter().map(|row| line(row).trim_end().to_string()).collect()
}

/// A row of texts.
pub fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_string).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [row(["name", "n"]), row(["a", "1000"])];
        assert_eq!(lines(&[Align::Left, Align::Right], &rows), ["name     n", "a     1000"]);
    }
}
