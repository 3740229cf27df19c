//! Descriptors and CSRs: data.
