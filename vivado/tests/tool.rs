//! The version that a program says it has, and programs that say nothing.

use sagen_vivado::tool;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

fn version(body: &str, limit: Duration) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vivado");
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    tool::version(&path, limit, &AtomicBool::new(false)).unwrap()
}

#[test]
fn the_version_is_read_in_every_form_that_releases_use() {
    let limit = Duration::from_secs(60);
    for (said, read) in [
        ("Vivado v2019.1 (64-bit)", "2019.1"),
        ("vivado v2023.2 (64-bit)\nTool Version Limit: 2023.10", "2023.2"),
        ("vivado v2023.2.2 (64-bit)", "2023.2.2"),
        ("Vivado v.2025.1 (lin64) Build 6140274", "2025.1"),
    ] {
        assert_eq!(version(&format!("echo '{said}'"), limit).as_deref(), Some(read));
    }
    assert_eq!(version("echo very odd", limit), None);
    assert_eq!(version("exit 1", limit), None);
}

#[test]
fn a_program_that_does_not_answer_is_ended() {
    let start = Instant::now();
    assert_eq!(version("sleep 600 & wait", Duration::from_millis(200)), None);
    assert_eq!(version("sleep 600 & exit 1", Duration::from_secs(60)), None);
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn supported_versions_are_2023_2_to_2025() {
    for version in ["2023.2", "2023.2.2", "2024.1", "2025.2"] {
        assert!(tool::supported(version), "{version}");
    }
    for version in ["2019.1", "2023.1", "2026.1", "odd", ""] {
        assert!(!tool::supported(version), "{version}");
    }
}
