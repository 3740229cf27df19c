//! What is put around and beside the text of modules; nothing here changes what they do.

/// How files are printed.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Lines at the top of every file: who made it, from what, under which licence.
    pub header: Vec<String>,
    /// What stands before the names of the files where they are read, such as `rtl/`; the lint waivers name them so.
    pub folder: String,
}
