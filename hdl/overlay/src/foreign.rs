//! Verilog that is not generated: cores of others, placed as black boxes.

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignSource {
    /// Name of the file; it lies in `foreign/` of a build folder.
    pub file: String,
    /// Contents, unchanged.
    pub text: String,
    /// SPDX identifier of its licence.
    pub licence: String,
    /// The module that black boxes name.
    pub module: String,
}

impl ForeignSource {
    /// Its path below a build folder.
    #[must_use]
    pub fn path(&self) -> String {
        format!("foreign/{}", self.file)
    }
}
