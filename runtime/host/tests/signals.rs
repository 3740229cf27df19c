//! What signals do to a process that runs programs: this file runs itself, and interrupts that run.

use sagen_host::tool::{self, End};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const LOG: &str = "SAGEN_HOST_TEST_LOG";
const SCRIPT: &str = "SAGEN_HOST_TEST_SCRIPT";
const MINUTE: Duration = Duration::from_secs(60);

/// The part of the process that is interrupted; in the run that interrupts it there is nothing to do.
#[test]
fn a_signal_that_is_heard_ends_the_program() {
    let (Some(log), Some(script)) = (std::env::var_os(LOG), std::env::var_os(SCRIPT)) else { return };
    let end = tool::run(Command::new("sh").arg("-c").arg(script), log.as_ref(), MINUTE, || false, |_| {}).unwrap();
    match end {
        End::Interrupted => {}
        End::TimeUp => panic!("no signal came"),
        // Nobody listens from here on.
        End::Exited(_) => std::thread::sleep(MINUTE),
    }
}

fn start(log: &Path, script: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "a_signal_that_is_heard_ends_the_program"]).env(LOG, log).env(SCRIPT, script);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The number that the script printed.
fn printed(log: &Path) -> String {
    let since = Instant::now();
    loop {
        match std::fs::read_to_string(log) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            Ok(_) | Err(_) => assert!(since.elapsed() < MINUTE, "the program does not start"),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

fn is_gone(pid: &str) -> bool {
    let since = Instant::now();
    let running = || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        status.is_ok_and(|s| !s.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')))
    };
    while running() && since.elapsed() < Duration::from_secs(2) {
        std::thread::sleep(Duration::from_millis(10));
    }
    !running()
}

#[test]
fn the_first_signal_is_heard_and_the_program_ends_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut child = start(&log, "sleep 600 & echo $!; wait");
    let pid = printed(&log);
    interrupt(&child);
    assert!(child.wait().unwrap().success());
    assert!(is_gone(&pid));
}

#[test]
fn the_second_signal_ends_the_process_and_its_programs_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut child = start(&log, "trap '' TERM; sleep 600 & echo $!; wait");
    let pid = printed(&log);
    let since = Instant::now();
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it waits for the program to end");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(since.elapsed() < Duration::from_secs(4));
    assert!(is_gone(&pid));
}

#[test]
fn a_signal_that_nobody_hears_ends_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut child = start(&log, "echo $$");
    assert!(is_gone(&printed(&log)));
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
