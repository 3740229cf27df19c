//! The heads of the reports: all are of one run of one Vivado over one routed design, on the part of the build.

use super::text::{ReportError, Text};
use crate::flow::Expected;

/// Fields that are the same in all reports of a run.
const SAME: [&str; 3] = ["Tool Version", "Design", "Device"];

/// Who wrote a report about what.
pub(crate) struct Head {
    file: String,
    fields: [String; 3],
    state: String,
}

impl Head {
    /// The head of a report.
    pub(crate) fn of(file: &str, text: &Text) -> Result<Self, ReportError> {
        let field = |name: &str| text.head(name).map(str::to_string);
        let [tool, design, device] = SAME.map(field);
        Ok(Self { file: file.to_string(), fields: [tool?, design?, device?], state: field("Design State")? })
    }
}

/// One line for each report that is of something else than the first.
pub(crate) fn rules(heads: &[Head], expected: Option<&Expected>) -> Vec<String> {
    let Some((first, others)) = heads.split_first() else {
        return Vec::new();
    };
    let mut broken = Vec::new();
    for head in others {
        for ((name, found), wanted) in SAME.iter().zip(&head.fields).zip(&first.fields) {
            if found != wanted {
                broken.push(format!("{}: {name} is `{found}`, {} has `{wanted}`", head.file, first.file));
            }
        }
        if !head.state.contains("Routed") {
            broken.push(format!("{} is of a design that is {}, not Routed", head.file, head.state));
        }
    }
    let device = &first.fields[2];
    if let Some(expected) = expected.filter(|e| !bare(&e.part).starts_with(&bare(device))) {
        broken.push(format!("the reports are of the device {device}, the build is for {}", expected.part));
    }
    broken
}

/// Reports leave out `xc` and speed grade of a part, and part names of the older families a hyphen.
fn bare(part: &str) -> String {
    let lower = part.to_ascii_lowercase().replace('-', "");
    lower.strip_prefix("xc").unwrap_or(&lower).to_string()
}
