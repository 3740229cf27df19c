//! From an overlay config to a build folder.
