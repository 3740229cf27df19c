//! Marks on what a user wrote, by which it is told from the template's own text after rendering.

use std::borrow::Cow;

/// Private characters of plane 15: no case, no blanks, part of no word.
const MARKS: std::ops::RangeInclusive<char> = '\u{f0000}'..='\u{ffffd}';

/// A character that stands nowhere else.
#[derive(Clone, Copy)]
pub(crate) struct Mark(char);

impl Mark {
    /// A mark that none of the texts holds.
    pub(crate) fn absent<'t>(texts: impl Iterator<Item = &'t str>) -> Option<Self> {
        let private = |c: &char| MARKS.contains(c);
        let taken: std::collections::BTreeSet<char> = texts.flat_map(str::chars).filter(private).collect();
        MARKS.into_iter().find(|c| !taken.contains(c)).map(Self)
    }

    /// Marks on both sides of each character. Blanks have none, so that they can still be trimmed.
    pub(crate) fn everywhere(self, content: &str) -> String {
        let mut marked = String::with_capacity(content.len());
        for c in content.chars() {
            if c.is_whitespace() {
                marked.push(c);
            } else {
                marked.extend([self.0, c, self.0]);
            }
        }
        marked
    }

    /// Marks only behind the characters with which a control token could begin, in whatever case.
    pub(crate) fn within(self, content: &str, begins: impl Fn(char) -> bool) -> String {
        let mut marked = String::with_capacity(content.len());
        for c in content.chars() {
            marked.push(c);
            if c.to_lowercase().chain(c.to_uppercase()).chain([c]).any(&begins) {
                marked.push(self.0);
            }
        }
        marked
    }

    /// The text without marks.
    pub(crate) fn strip(self, text: &str) -> Cow<'_, str> {
        if text.contains(self.0) { Cow::Owned(text.replace(self.0, "")) } else { Cow::Borrowed(text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_come_off_again_and_leave_blanks_at_the_ends() {
        let mark = Mark::absent(["\u{f0000}<a>"].into_iter()).unwrap();
        let content = " <a> b\u{f0000} ";
        let everywhere = mark.everywhere(content);
        assert_ne!(everywhere, content);
        assert_eq!(mark.strip(&everywhere), content);
        assert_eq!(mark.strip(everywhere.trim()), content.trim());
        assert_eq!(mark.strip(&mark.within(content, |c| c == '<')), content);
        assert_eq!(mark.within("aAb", |c| c == 'A').chars().count(), 5);
    }
}
