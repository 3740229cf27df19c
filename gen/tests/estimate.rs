//! yosys on small modules: figures, cache, errors, Ctrl-C.

use sagen::estimate::{Source, Yosys, levels, resources};
use sagen_config::DeviceFamily;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

static NEVER: AtomicBool = AtomicBool::new(false);

fn source(name: &str, children: &[&str], text: &str) -> Source {
    let children = children.iter().map(|c| c.to_string()).collect();
    Source { name: name.into(), text: text.into(), interface: text.split(");").next().unwrap().into(), children }
}

fn step() -> Source {
    source(
        "step",
        &[],
        "module step(input clk, input a, input b, output reg q);\nalways @(posedge clk) q <= a & b;\nendmodule\n",
    )
}

fn pair() -> Source {
    let body = "wire w;\nstep u_0(.clk(clk), .a(a), .b(b), .q(w));\nstep u_1(.clk(clk), .a(w ^ a), .b(b), .q(q));\nendmodule\n";
    source("pair", &["step"], &format!("module pair(input clk, input a, input b, output q);\n{body}"))
}

fn yosys(cache: &Path, family: DeviceFamily) -> Yosys {
    Yosys::find(Path::new("yosys"), family, cache).unwrap()
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    entries.flat_map(|p| if p.is_dir() { files(&p) } else { vec![p] }).collect()
}

#[test]
fn a_parent_holds_what_its_children_hold_and_paths_cross_into_them() {
    let cache = tempfile::tempdir().unwrap();
    for family in [DeviceFamily::ZynqUltrascale, DeviceFamily::Zynq7000] {
        let netlists = yosys(cache.path(), family).synthesise(&[step(), pair()], 2, &NEVER).unwrap();
        let order = ["step".to_string(), "pair".to_string()];
        let counted = resources::count(&order, &netlists).unwrap();
        assert_eq!((counted["pair"].own.lut, counted["pair"].total.lut, counted["pair"].total.ff), (1, 3, 2));
        let levels = levels::analyse(&order, &netlists).unwrap();
        let worst = &levels["pair"].paths[0];
        assert_eq!((worst.levels, worst.from.as_str(), worst.to.as_str()), (2, "u_0/q", "u_1/q.D"));
        assert_eq!(worst.nets[0], ("w".to_string(), 0));
    }
}

#[test]
fn a_second_run_takes_everything_from_the_cache_and_a_changed_module_only_itself() {
    let cache = tempfile::tempdir().unwrap();
    let yosys = yosys(cache.path(), DeviceFamily::ZynqUltrascale);
    assert!(yosys.cached(&[step(), pair()]).is_empty());
    yosys.synthesise(&[step(), pair()], 1, &NEVER).unwrap();
    assert_eq!(yosys.cached(&[step(), pair()]).len(), 2);
    assert_eq!(files(cache.path()).len(), 2, "two netlists and nothing else");
    let mut other = step();
    other.text = other.text.replace("a & b", "a | b");
    let names: Vec<String> = yosys.cached(&[other, pair()]).into_keys().collect();
    assert_eq!(names, ["pair"]);
    let mut wider = step();
    wider.interface = wider.interface.replace("input b", "input [1:0] b");
    assert_eq!(yosys.cached(&[wider, pair()]).into_keys().collect::<Vec<_>>(), ["step"], "a port of the child changed");
}

#[test]
fn a_netlist_that_was_damaged_in_the_cache_is_made_again() {
    let cache = tempfile::tempdir().unwrap();
    let yosys = yosys(cache.path(), DeviceFamily::ZynqUltrascale);
    let made = yosys.synthesise(&[step()], 1, &NEVER).unwrap();
    let path = files(cache.path()).pop().unwrap();
    let whole = std::fs::read_to_string(&path).unwrap();
    // Still a netlist, and a wrong one: only its hash tells.
    let wrong = whole.replacen("LUT2", "LUT3", 1);
    assert_ne!(wrong, whole);
    for damage in [&wrong[..], &whole[..whole.len() / 2], ""] {
        std::fs::write(&path, damage).unwrap();
        let again = yosys.synthesise(&[step()], 1, &NEVER).unwrap();
        let order = ["step".to_string()];
        let total = |netlists| resources::count(&order, netlists).unwrap()["step"].total.lut;
        assert_eq!(total(&again), total(&made));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
    }
}

#[test]
fn a_broken_module_shows_the_error_the_command_and_the_log() {
    let cache = tempfile::tempdir().unwrap();
    let mut broken = step();
    broken.text = broken.text.replace("a & b", "a &");
    let yosys = yosys(cache.path(), DeviceFamily::ZynqUltrascale);
    let error = yosys.synthesise(&[broken], 1, &NEVER).unwrap_err().to_string();
    let folder = cache.path().join("yosys/failed/step");
    assert!(error.starts_with("yosys on step: step.v:2: ERROR: syntax error"), "{error}");
    assert!(error.contains(&format!("cd {} && yosys -s run.ys", folder.display())), "{error}");
    assert!(error.ends_with(&format!("log: {}", folder.join("yosys.log").display())), "{error}");
    assert!(folder.join("run.ys").is_file() && folder.join("yosys.log").is_file());
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    let cache = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(true);
    let error = yosys(cache.path(), DeviceFamily::ZynqUltrascale).synthesise(&[step()], 1, &stop).unwrap_err();
    assert_eq!(error.to_string(), "interrupted; modules done so far are cached");
    assert!(files(cache.path()).is_empty());
}

#[test]
fn a_program_that_is_not_yosys_is_refused() {
    let cache = tempfile::tempdir().unwrap();
    let message =
        |program: &str| Yosys::find(Path::new(program), DeviceFamily::Zynq7000, cache.path()).unwrap_err().to_string();
    assert!(message("no-such-yosys").contains("no-such-yosys: No such file"), "{}", message("no-such-yosys"));
    assert!(message("no-such-yosys").ends_with("install yosys (`make setup`) or name it with --yosys PATH"));
    assert!(message("/bin/true").contains("/bin/true: `-V` prints no yosys version"), "{}", message("/bin/true"));
}

#[test]
fn a_program_that_writes_no_netlist_is_named_with_the_module() {
    use std::os::unix::fs::PermissionsExt;
    let cache = tempfile::tempdir().unwrap();
    let program = cache.path().join("not_yosys");
    std::fs::write(&program, "#!/bin/sh\n[ \"$1\" = -V ] && echo Yosys 0.1\nexit 0\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let yosys = Yosys::find(&program, DeviceFamily::Zynq7000, cache.path()).unwrap();
    let error = yosys.synthesise(&[step()], 1, &NEVER).unwrap_err().to_string();
    let expected = format!("yosys on step: {} ended well but wrote no netlist, is it yosys?; run ", program.display());
    assert!(error.starts_with(&expected), "{error}");
}
