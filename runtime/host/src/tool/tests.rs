//! Programs that end well, badly, late, and with children of their own.

use super::*;

const MINUTE: Duration = Duration::from_secs(60);

fn sh(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

/// Whether a process stays there, and is no zombie; being killed takes it a moment.
fn alive(pid: &str) -> bool {
    let running = || {
        let status = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        status.is_ok_and(|s| !s.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')))
    };
    let deadline = Deadline::after(Duration::from_secs(2));
    while running() && !deadline.passed() {
        std::thread::sleep(Duration::from_millis(10));
    }
    running()
}

/// Runs a script that leaves the number of its child in the log.
fn with_child(script: &str, limit: Duration, stopped: bool) -> (End, String) {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let printed = || std::fs::read_to_string(&log).unwrap_or_default();
    let end = run(&mut sh(script), &log, limit, || stopped && printed().ends_with('\n'), |_| {}).unwrap();
    (end, printed())
}

#[test]
fn whatever_ends_a_program_its_children_end_with_it() {
    let start = Instant::now();
    let spawn = "sleep 600 & echo $!";
    let (end, pid) = with_child(&format!("{spawn}; exit 3"), MINUTE, false);
    assert!(matches!(end, End::Exited(status) if status.code() == Some(3)));
    assert!(!alive(&pid));
    let (end, pid) = with_child(&format!("{spawn}; wait"), Duration::from_millis(300), false);
    assert_eq!(end, End::TimeUp);
    assert!(!alive(&pid));
    let (end, pid) = with_child(&format!("{spawn}; wait"), MINUTE, true);
    assert_eq!(end, End::Interrupted);
    assert!(!alive(&pid));
    assert!(start.elapsed() < MINUTE);
}

#[test]
fn a_program_that_ignores_the_request_is_ended_all_the_same() {
    let (end, pid) = with_child("trap '' TERM; sleep 600 & echo $!; wait", Duration::from_millis(300), false);
    assert_eq!(end, End::TimeUp);
    assert!(!alive(&pid));
}

#[test]
fn signs_of_life_prolong_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let limit = Duration::from_millis(300);
    let end = run(&mut sh("sleep 1"), &folder.path().join("log"), limit, || false, Deadline::renew).unwrap();
    assert!(matches!(end, End::Exited(status) if status.success()), "{end:?}");
}

#[test]
fn an_answer_is_what_stands_on_standard_output() {
    let (end, text) = ask(&mut sh("echo yes; echo no >&2; sleep 600 & exit 1"), MINUTE, || false).unwrap();
    assert!(matches!(end, End::Exited(status) if status.code() == Some(1)));
    assert_eq!(text, "yes\n");
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let error = ask(&mut Command::new("no-such-program"), MINUTE, || false).unwrap_err().to_string();
    assert_eq!(error, "no-such-program: No such file or directory (os error 2)");
}

#[test]
fn a_command_is_shown_as_one_would_type_it() {
    let mut command = sh("true");
    command.current_dir("/tmp").env("A", "b");
    assert_eq!(shown(&command), "cd /tmp && A=b sh -c true");
}

#[test]
fn the_cause_is_the_first_line_of_the_first_rule_that_knows_one() {
    let rules: [fn(&str) -> bool; 2] = [|l| l.starts_with("error"), |l| l.starts_with("warning")];
    for (output, said) in [
        ("warning: a\nerror: b\nerror: c\n", Some("error: b")),
        ("x\nwarning: a\nwarning: b\ny\n", Some("warning: a")),
        ("x\ny\n\n", Some("y")),
        (" \n", None),
    ] {
        assert_eq!(cause(output, &rules), said, "{output}");
    }
}
