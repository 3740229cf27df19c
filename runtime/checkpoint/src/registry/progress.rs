//! Progress on the terminal; silent where standard error is none.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over `size` bytes.
pub(super) fn bar(size: u64, doing: String) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left")
        .expect("the template is valid");
    ProgressBar::new(size).with_style(style.progress_chars("=> ")).with_message(doing)
}

/// A sign of life while there is nothing to measure.
pub(super) fn spinner(doing: &'static str) -> ProgressBar {
    ProgressBar::new_spinner().with_message(doing)
}
