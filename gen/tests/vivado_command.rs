//! `sagen vivado` and `sagen report` with a shell script in the place of Vivado: success, errors, hangs, Ctrl-C, wrong
//! versions, and results that outlive their sources.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const CONFIG: &str = "d16_100mhz_w128_p6";

/// A folder with a stand-in for Vivado, an output folder, and a home without any installation.
struct Bench {
    root: tempfile::TempDir,
}

impl Bench {
    /// `body` sees `$log` and the arguments of build.tcl.
    fn new(version: &str, body: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = -version ] && {{ echo '{version}'; exit 0; }}\n\
             while [ \"$1\" != -tclargs ]; do [ \"$1\" = -log ] && log=$2; shift; done; shift\n{body}\n"
        );
        let path = root.path().join("vivado");
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Self { root }
    }

    /// Runs the scripts under the stub, then puts sample reports in their place.
    fn working(reports: &str) -> Self {
        let (stub, samples) = (repository().join("vivado/tests/stubs.tcl"), samples());
        let body = format!(
            "tclsh {} 2024.2 1 \"$PWD\" \"$@\" || exit 1\nreports=$(dirname \"$log\")/reports\n\
             for f in {}/good/*.rpt {}/{reports}/*.rpt; do cp \"$f\" \"$reports\"; done",
            stub.display(),
            samples.display(),
            samples.display()
        );
        Self::new("vivado v2024.2 (64-bit)", &body)
    }

    fn path(&self, below: &str) -> PathBuf {
        self.root.path().join(below)
    }

    fn sagen(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sagen"));
        command.args(arguments).current_dir(repository()).env_remove("XILINX_VIVADO").env("HOME", self.root.path());
        command
    }

    fn build(&self, config: &str, more: &[&str]) -> Command {
        let mut command = self.sagen(&["vivado", "--config", config]);
        command.arg("--out").arg(self.path("build")).arg("--vivado").arg(self.path("vivado")).args(more);
        command
    }

    /// Folder of results of the present sources.
    fn work(&self) -> PathBuf {
        let flow = fs::read_to_string(self.path(&format!("build/{CONFIG}/vivado/flow.json"))).unwrap();
        let flow: serde_json::Value = serde_json::from_str(&flow).unwrap();
        self.path(&format!("build/{CONFIG}/vivado/work")).join(flow["key"].as_str().unwrap())
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn samples() -> PathBuf {
    repository().join("vivado/tests/reports/2023.2")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn passes(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    text(&output)
}

fn fails(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    text(&output)
}

fn alive(pid: &str) -> bool {
    // A zombie has ended; nobody is left to collect it.
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|s| !s.contains(") Z "))
}

fn wait_for(path: &Path) -> String {
    let start = Instant::now();
    loop {
        let text = fs::read_to_string(path).unwrap_or_default();
        if text.ends_with('\n') {
            return text.trim().to_string();
        }
        assert!(start.elapsed() < Duration::from_secs(120), "{} does not appear", path.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_build_ends_with_its_figures() {
    let bench = Bench::working("good");
    let text = passes(bench.build(CONFIG, &["--jobs", "3"]));
    assert!(text.contains("Vivado 2024.2: ") && text.contains("0.742 ns") && text.contains("CLB LUTs"), "{text}");
    assert!(bench.work().join(format!("out/{CONFIG}.bit")).is_file());
    // The folder alone is enough for a verdict later.
    let json = passes(bench.sagen(&["report", "--json", bench.path(&format!("build/{CONFIG}")).to_str().unwrap()]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["timing"]["wns_ns"], &json["failures"]), (&0.742.into(), &serde_json::json!([])));
    // Nothing changed, so nothing is run again.
    passes(bench.build(CONFIG, &[]));
    let log = fs::read_to_string(bench.work().join("console.log")).unwrap();
    assert!(log.contains("sagen: stage bit: kept") && !log.contains("started"), "{log}");
}

#[test]
fn a_rule_that_does_not_hold_fails_the_command() {
    let bench = Bench::working("bad_setup");
    let text = fails(bench.build(CONFIG, &[]));
    assert!(text.contains("FAIL: WNS = -0.318 ns is negative\n") && text.contains("1 rule(s) do not hold"), "{text}");
    let text = fails(bench.sagen(&["report", samples().join("bad_hold").to_str().unwrap()]));
    assert!(text.contains("FAIL: WHS = -0.027 ns is negative\n"), "{text}");
    assert!(text.contains("clocks.rpt: No such file or directory"), "{text}");
}

#[test]
fn the_first_error_the_command_and_the_log_are_shown() {
    let body = "mkdir -p \"$(dirname \"$log\")\"\n\
                for o in \"$log\" /dev/stdout; do printf 'INFO: fine\\nERROR: [Synth 8-439] no module x\\nERROR: [Common 17-69] later\\n' >>\"$o\"; done\n";
    for end in ["exit 1", "exit 0"] {
        let bench = Bench::new("vivado v2023.2 (64-bit)", &format!("{body}{end}"));
        let text = fails(bench.build(CONFIG, &[]));
        assert!(text.contains("Error: ERROR: [Synth 8-439] no module x; command: cd "), "{text}");
        assert!(text.contains("-source build.tcl -tclargs --until bit --jobs 2"), "{text}");
        assert!(text.contains("; log: ") && text.contains("vivado.log") && !text.contains("later"), "{text}");
    }
    let bench = Bench::new("vivado v2023.2 (64-bit)", "exit 3");
    let text = fails(bench.build(CONFIG, &[]));
    assert!(text.contains("Vivado ended with exit status: 3 and no line `ERROR:`"), "{text}");
    assert!(text.contains("console.log"), "{text}");
}

#[test]
fn the_error_of_a_run_of_the_project_is_taken_from_its_own_log() {
    let body = "run=$(dirname \"$log\")/runme.log; echo 'ERROR: [Place 30-640] does not fit' >\"$run\"\n\
                echo \"ERROR: [sagen] impl_1 stopped: place_design ERROR; its log is $run\"; exit 1";
    let bench = Bench::new("vivado v2024.2 (64-bit)", body);
    let text = fails(bench.build(CONFIG, &[]));
    assert!(text.contains("Error: ERROR: [Place 30-640] does not fit; command: "), "{text}");
    assert!(text.contains("; log: ") && text.contains("runme.log"), "{text}");
}

const HANGS: &str = "echo 'sagen: stage impl: started'; echo 'Phase 2.1 Floorplanning'\n\
                     sleep 600 & echo $! > \"$(dirname \"$log\")/pid\"; wait";

#[test]
fn a_hang_is_ended_with_all_its_children() {
    let bench = Bench::new("vivado v2024.2 (64-bit)", HANGS);
    let text = fails(bench.build(CONFIG, &["--timeout-hours", "0.0005"]));
    assert!(text.contains("Vivado was ended after 1.8 s, in stage impl: started (Phase 2.1 Floor"), "{text}");
    assert!(text.contains("--timeout-hours") && text.contains("log: "), "{text}");
    assert!(!alive(&wait_for(&bench.work().join("pid"))));
}

#[test]
fn ctrl_c_ends_vivado_and_a_build_meanwhile_is_refused() {
    let bench = Bench::new("vivado v2024.2 (64-bit)", HANGS);
    let configs = bench.path("configs");
    let config = copy_configs(&configs);
    let mut command = bench.build(config.to_str().unwrap(), &[]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let folder = bench.path(&format!("build/{CONFIG}/vivado/work"));
    wait_for_folder(&folder);
    let pid = wait_for(&bench.work().join("pid"));

    let text = fails(bench.build(config.to_str().unwrap(), &[]));
    assert!(text.contains("Vivado is running here"), "{text}");
    widen(&config);
    let out = bench.path("build");
    let text = fails(bench.sagen(&["build", "--config", config.to_str().unwrap(), "--out", out.to_str().unwrap()]));
    assert!(text.contains("Vivado is running here") && folder.is_dir(), "{text}");

    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success());
    assert!(self::text(&output).contains("interrupted; Vivado was ended"), "{}", self::text(&output));
    assert!(!alive(&pid));
}

#[test]
fn ctrl_c_ends_a_version_query_that_hangs() {
    let bench = Bench::new("", "exit 0");
    let script = format!("#!/bin/sh\nsleep 600 & echo $! >{}\nwait\n", bench.path("pid").display());
    fs::write(bench.path("vivado"), script).unwrap();
    let child = bench.build(CONFIG, &[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = wait_for(&bench.path("pid"));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let text = text(&output);
    // A warning would mean that it was asked until its time was up.
    assert!(text.contains("interrupted; Vivado was ended") && !text.contains("warning"), "{text}");
    assert!(!alive(&pid));
}

/// Leaves the stamp of synthesis and nothing else.
const STAMPS: &str = "work=$(dirname \"$log\"); mkdir -p \"$work/stamps\"; basename \"$work\" >\"$work/stamps/synth\"";

#[test]
fn a_program_that_does_nothing_is_not_taken_for_success() {
    for until in ["synth", "impl", "bit"] {
        let bench = Bench::new("vivado v2024.2 (64-bit)", "exit 0");
        let text = fails(bench.build(CONFIG, &["--until", until]));
        assert!(text.contains(&format!("Vivado ended well but left no finished stage {until}; command: ")), "{text}");
        assert!(!text.contains("results:"), "{text}");
    }
    let bench = Bench::new("vivado v2024.2 (64-bit)", STAMPS);
    assert!(passes(bench.build(CONFIG, &["--until", "synth"])).contains("results: "));
    fs::set_permissions(bench.path("vivado"), fs::Permissions::from_mode(0o644)).unwrap();
    let text = fails(bench.build(CONFIG, &["--until", "synth"]));
    assert!(text.contains("vivado: cannot be run: Permission denied") && !text.contains("warning"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

fn wait_for_folder(folder: &Path) {
    let start = Instant::now();
    while !folder.is_dir() {
        assert!(start.elapsed() < Duration::from_secs(120), "{} does not appear", folder.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A copy of the configs; the path of the main one.
fn copy_configs(to: &Path) -> PathBuf {
    fs::create_dir_all(to.join("boards")).unwrap();
    for (from, name) in [("configs", format!("{CONFIG}.yaml")), ("configs/boards", "kv260.yaml".to_string())] {
        let below = if from.ends_with("boards") { to.join("boards") } else { to.to_path_buf() };
        fs::copy(repository().join(from).join(&name), below.join(&name)).unwrap();
    }
    to.join(format!("{CONFIG}.yaml"))
}

/// Changes the sources, not the name.
fn widen(config: &Path) {
    let text = fs::read_to_string(config).unwrap();
    assert!(text.contains("code_words: 1024"));
    fs::write(config, text.replace("code_words: 1024", "code_words: 2048")).unwrap();
}

#[test]
fn results_outlive_their_sources_and_are_not_taken_for_new_ones() {
    let bench = Bench::working("good");
    let config = copy_configs(&bench.path("configs"));
    passes(bench.build(config.to_str().unwrap(), &[]));
    let earlier = bench.work();
    widen(&config);
    let (out, folder) = (bench.path("build"), bench.path(&format!("build/{CONFIG}")));
    passes(bench.sagen(&["build", "--config", config.to_str().unwrap(), "--out", out.to_str().unwrap()]));
    assert_ne!(bench.work(), earlier);
    assert!(earlier.join(format!("out/{CONFIG}.bit")).is_file(), "the earlier bitstream is kept");
    let text = fails(bench.sagen(&["report", folder.to_str().unwrap()]));
    assert!(text.contains("no reports of this build") && text.contains("run `sagen vivado` first"), "{text}");
    passes(bench.build(config.to_str().unwrap(), &[]));
    let log = fs::read_to_string(bench.work().join("console.log")).unwrap();
    assert!(log.contains("sagen: stage synth: started"), "{log}");
    assert!(earlier.join("out/build_info.json").is_file());
}

#[test]
fn another_version_is_warned_about_and_used() {
    for (found, named) in [("Vivado v2019.1 (64-bit)", "2019.1"), ("no version at all", "of unknown version")] {
        let bench = Bench::new(found, "exit 0");
        let mut command = bench.build(CONFIG, &["--until", "synth"]);
        let text = text(&command.output().unwrap());
        assert!(text.contains(&format!("warning: Vivado {named} (")), "{text}");
        assert!(text.contains("written for 2023.2 to 2025.x"), "{text}");
    }
}

#[test]
fn without_vivado_the_folder_is_left_and_the_command_named() {
    let bench = Bench::new("", "");
    let out = bench.path("build");
    let mut command = bench.sagen(&["vivado", "--config", CONFIG, "--until", "impl", "--out", out.to_str().unwrap()]);
    command.env("PATH", bench.path("nothing"));
    let text = fails(command);
    assert!(
        text.contains("Vivado was not found: not on PATH, not at XILINX_VIVADO, not below /tools/Xilinx"),
        "{text}"
    );
    let folder = out.canonicalize().unwrap().join(CONFIG).join("vivado");
    let line = format!("cd {} && vivado -mode batch -source build.tcl -tclargs --until impl", folder.display());
    assert!(text.contains(&line), "{text}");
    assert!(folder.join("build.tcl").is_file());
}

#[test]
fn an_installation_is_found_where_installers_put_it() {
    for place in ["tools/Xilinx/Vivado/2024.2/bin", "tools/Xilinx/2025.1/Vivado/bin"] {
        let bench = Bench::new("vivado v2024.2 (64-bit)", STAMPS);
        fs::create_dir_all(bench.path(place)).unwrap();
        fs::copy(bench.path("vivado"), bench.path(place).join("vivado")).unwrap();
        let out = bench.path("build");
        let arguments = ["vivado", "--config", CONFIG, "--until", "synth", "--out", out.to_str().unwrap()];
        assert!(passes(bench.sagen(&arguments)).contains(place));
    }
}

#[test]
fn bad_arguments_are_named() {
    let bench = Bench::new("vivado v2024.2 (64-bit)", "exit 0");
    let cases: [(&[&str], &str); 4] = [
        (&["--jobs", "0"], "0 is not in 1..=64"),
        (&["--timeout-hours", "0"], "more than 0 and at most 1000 hours"),
        (&["--until", "route"], "possible values: synth, impl, bit"),
        (&["--timeout-hours", "soon"], "a number of hours is expected"),
    ];
    for (arguments, message) in cases {
        let output = bench.build(CONFIG, arguments).output().unwrap();
        assert!(!output.status.success() && text(&output).contains(message), "{}", text(&output));
    }
    let text = fails(bench.build("d16_100mhz_w128_p5", &[]));
    assert!(text.contains("unknown config `d16_100mhz_w128_p5`, did you mean"), "{text}");
    let mut command = bench.sagen(&["vivado", "--config", CONFIG, "--vivado", "/no/such/vivado", "--out"]);
    command.arg(bench.path("build"));
    assert!(fails(command).contains("--vivado /no/such/vivado: no such program; give the path of `vivado`"));
    let text = fails(bench.sagen(&["report", "/no/such/folder"]));
    assert!(text.contains("Error: /no/such/folder: no such folder"), "{text}");
}

#[test]
fn a_board_without_constraints_is_refused_but_can_be_simulated() {
    let bench = Bench::new("vivado v2024.2 (64-bit)", "exit 0");
    let config = copy_configs(&bench.path("configs"));
    let (kv260, mine) = (bench.path("configs/boards/kv260.yaml"), bench.path("configs/boards/mine.yaml"));
    fs::rename(kv260, &mine).unwrap();
    for (path, from, to) in [(&config, "board: kv260", "board: mine"), (&mine, "name: kv260", "name: mine")] {
        let text = fs::read_to_string(path).unwrap();
        fs::write(path, text.replace(from, to)).unwrap();
    }
    let text = fails(bench.build(config.to_str().unwrap(), &[]));
    assert!(text.contains("board mine has no folder constraints/mine; boards that have one: kv260"), "{text}");
    assert!(text.contains("after adding the folder, build sagen again"), "{text}");
    let out = bench.path("build");
    let text = passes(bench.sagen(&["build", "--config", config.to_str().unwrap(), "--out", out.to_str().unwrap()]));
    assert!(text.contains("; vivado/ was left out: board mine has no folder constraints/mine"), "{text}");
    assert!(!out.join(CONFIG).join("vivado").exists());
}
