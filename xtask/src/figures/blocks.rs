//! Blocks of a document that are written by this program.

use anyhow::{Context, Result, bail};

const OPEN: &str = "<!-- figures: ";
const OPEN_END: &str = " -->";
const CLOSE: &str = "<!-- end -->";

/// The text with the lines of every block replaced by what `table` gives for its name.
pub(crate) fn replace(text: &str, mut table: impl FnMut(&str) -> Result<String>) -> Result<String> {
    let mut fresh = String::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        fresh.push_str(line);
        fresh.push('\n');
        let Some(name) = line.strip_prefix(OPEN).and_then(|rest| rest.strip_suffix(OPEN_END)) else { continue };
        let lost = || format!("line {}: `{line}` has no `{CLOSE}` below it", at + 1);
        let next = loop {
            let (_, line) = lines.next().with_context(lost)?;
            if line.starts_with(OPEN) {
                bail!(lost());
            }
            if line == CLOSE {
                break line;
            }
        };
        fresh.push_str(&table(name).with_context(|| format!("line {}: figures `{name}`", at + 1))?);
        fresh.push_str(next);
        fresh.push('\n');
    }
    Ok(fresh)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_replaced_and_the_rest_stays() {
        let text = "a\n<!-- figures: x -->\nold\nold\n<!-- end -->\nb\n";
        let fresh = replace(text, |name| Ok(format!("new {name}\n"))).unwrap();
        assert_eq!(fresh, "a\n<!-- figures: x -->\nnew x\n<!-- end -->\nb\n");
        assert_eq!(replace(&fresh, |name| Ok(format!("new {name}\n"))).unwrap(), fresh);
    }

    #[test]
    fn a_block_without_an_end_is_told_with_its_line() {
        for text in ["\n<!-- figures: x -->\nold\n", "\n<!-- figures: x -->\n<!-- figures: y -->\n<!-- end -->\n"] {
            let e = replace(text, |_| Ok(String::new())).unwrap_err();
            assert_eq!(e.to_string(), "line 2: `<!-- figures: x -->` has no `<!-- end -->` below it");
        }
    }
}
