//! Synthesis by yosys, module by module: children are black boxes, results are cached by content.

use super::netlist::{Netlist, Written};
use sagen_config::DeviceFamily;
use sagen_host::cache::{self, CacheError, Scratch};
use sagen_host::files::FileError;
use sagen_host::progress::Progress;
use sagen_host::tool::{self, End, ToolError};
use sagen_host::{PathError, at, disk, sealed};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{self, Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// What a cached netlist must agree on besides its inputs.
const FORMAT: &str = "netlist 2";
/// How long one module may take.
const LIMIT: Duration = Duration::from_secs(600);
/// How long the version may take.
const VERSION_LIMIT: Duration = Duration::from_secs(20);

/// Why a module has no netlist.
#[derive(Debug, thiserror::Error)]
pub enum YosysError {
    /// No yosys.
    #[error("{program}: {reason}; install yosys (`make setup`) or name it with --yosys PATH")]
    Missing {
        /// Program tried.
        program: String,
        /// What is wrong.
        reason: String,
    },
    /// yosys refuses a module.
    #[error("yosys on {module}: {reason}; run `{command}` to see it again, log: {log}")]
    Refused {
        /// Module.
        module: String,
        /// First error line.
        reason: String,
        /// Command that fails.
        command: String,
        /// What yosys said.
        log: String,
    },
    /// A module takes too long.
    #[error("yosys on {module}: not done after {seconds} s; command `{command}`, log: {log}")]
    Slow {
        /// Module.
        module: String,
        /// Limit.
        seconds: u64,
        /// Command that was stopped.
        command: String,
        /// What yosys said.
        log: String,
    },
    /// A netlist that cannot be read.
    #[error("{path}: not a netlist of {module}: {reason}")]
    Netlist {
        /// File.
        path: String,
        /// Module.
        module: String,
        /// What is wrong.
        reason: String,
    },
    /// Ctrl-C.
    #[error("interrupted; modules done so far are cached")]
    Interrupted,
    /// Nothing can be kept.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The file system refused.
    #[error(transparent)]
    Io(#[from] PathError),
    /// A result cannot be kept.
    #[error(transparent)]
    File(#[from] FileError),
    /// yosys could not be started or watched.
    #[error(transparent)]
    Tool(#[from] ToolError),
}

/// One module to synthesise.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name.
    pub name: String,
    /// Verilog.
    pub text: String,
    /// Its ports, in words: all that a parent's netlist depends on.
    pub interface: String,
    /// Modules that it instantiates.
    pub children: Vec<String>,
}

/// yosys, for one device family.
#[derive(Debug)]
pub struct Yosys {
    program: PathBuf,
    version: String,
    family: DeviceFamily,
    cache: PathBuf,
}

impl Yosys {
    /// Find the program and ask for its version.
    pub fn find(program: &Path, family: DeviceFamily, cache: &Path) -> Result<Self, YosysError> {
        // A path is kept valid inside work folders; a bare name is looked up as always.
        let path = if program.components().count() > 1 { path::absolute(program) } else { Ok(program.to_path_buf()) };
        let program = &path.map_err(at(program))?;
        let missing = |reason: String| YosysError::Missing { program: program.display().to_string(), reason };
        let asked = tool::ask(Command::new(program).arg("-V"), VERSION_LIMIT, || false);
        let (end, text) = asked.map_err(|error| match error {
            ToolError::Start { reason, .. } => missing(reason.to_string()),
            other => other.into(),
        })?;
        let ended_well = match end {
            End::Exited(status) => status.success(),
            End::TimeUp => return Err(missing(format!("`-V` printed nothing within {} s", VERSION_LIMIT.as_secs()))),
            End::Interrupted => return Err(YosysError::Interrupted),
        };
        let version = text.lines().next().filter(|l| ended_well && l.starts_with("Yosys"));
        let version = version.ok_or_else(|| missing("`-V` prints no yosys version".to_string()))?.to_string();
        Ok(Self { program: program.to_path_buf(), version, family, cache: cache.join("yosys") })
    }

    /// Version line.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Netlists that are cached already, of those asked for.
    pub fn cached(&self, sources: &[Source]) -> BTreeMap<String, Netlist> {
        let all = by_name(sources);
        let found = |s: &Source| Some((s.name.clone(), self.read(&self.slot(s, &all))?));
        sources.iter().filter_map(found).collect()
    }

    /// Synthesise every module, `jobs` at once; ends early and leaves nothing half-written when `interrupted` is set.
    pub fn synthesise(
        &self,
        sources: &[Source],
        jobs: usize,
        interrupted: &AtomicBool,
    ) -> Result<BTreeMap<String, Netlist>, YosysError> {
        let all = by_name(sources);
        let mut queue: Vec<&Source> = sources.iter().collect();
        // Long texts first: they take longest, and nothing else should wait for them at the end.
        queue.sort_by_key(|s| (std::cmp::Reverse(s.text.len()), &s.name));
        let bar = Progress::count(queue.len() as u64, "yosys", "modules");
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let done = Mutex::new((BTreeMap::new(), None));
        let worker = || {
            while let Some(source) = queue.get(next.fetch_add(1, Ordering::Relaxed)) {
                bar.say(source.name.clone());
                let result =
                    self.one(source, &all, &|| interrupted.load(Ordering::Relaxed) || stop.load(Ordering::Relaxed));
                let mut done = done.lock().expect("no worker panics while it holds the results");
                match result {
                    Ok(netlist) => drop(done.0.insert(source.name.clone(), netlist)),
                    Err(error) => {
                        stop.store(true, Ordering::Relaxed);
                        done.1.get_or_insert(error);
                        return;
                    }
                }
                bar.step();
            }
        };
        std::thread::scope(|scope| (0..jobs).for_each(|_| drop(scope.spawn(worker))));
        drop(bar);
        let (netlists, error) = done.into_inner().expect("no worker panics while it holds the results");
        error.map_or(Ok(netlists), Err)
    }

    fn one(&self, source: &Source, all: &Sources<'_>, stopped: &dyn Fn() -> bool) -> Result<Netlist, YosysError> {
        let slot = self.slot(source, all);
        if let Some(netlist) = self.read(&slot) {
            return Ok(netlist);
        }
        if stopped() {
            return Err(YosysError::Interrupted);
        }
        cache::prepare(&self.cache)?;
        let work = Scratch::within(&self.cache, "work-")?;
        let run = Run { yosys: self, source, folder: work.path() };
        run.prepare(all)?;
        match run.finish(stopped) {
            Ok(netlist) => {
                sealed::write(&slot, &serde_json::to_vec(&netlist).expect("a netlist of plain fields"))?;
                Ok(netlist)
            }
            Err(Stopped::Interrupted) => Err(YosysError::Interrupted),
            Err(Stopped::Error(error)) => Err(error),
            Err(failed) => Err(self.keep(&source.name, work, failed)),
        }
    }

    /// The work folder of a failed run is kept, so that the command can be repeated.
    fn keep(&self, module: &str, work: Scratch, failed: Stopped) -> YosysError {
        let folder = self.cache.join("failed").join(module);
        let parent = folder.parent().expect("a folder below the cache");
        if let Err(reason) = fs::create_dir_all(parent).map_err(at(parent)).and_then(|()| work.publish(&folder)) {
            return reason.into();
        }
        let log = folder.join("yosys.log").display().to_string();
        let command = tool::shown(&self.command(&folder));
        let module = module.to_string();
        match failed {
            Stopped::Slow => YosysError::Slow { module, seconds: LIMIT.as_secs(), command, log },
            Stopped::Refused(reason) => YosysError::Refused { module, reason, command, log },
            Stopped::Error(error) => error,
            Stopped::Interrupted => YosysError::Interrupted,
        }
    }

    fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["-s", "run.ys"]).current_dir(folder);
        command
    }

    fn slot(&self, source: &Source, all: &Sources<'_>) -> PathBuf {
        let mut hash = Sha256::new();
        let headers = source.children.iter().filter_map(|c| all.get(c.as_str())).map(|c| c.interface.as_str());
        let parts = [FORMAT, &self.version, self.options(), &source.text].into_iter().chain(headers);
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let key = base16ct::lower::encode_string(&hash.finalize()[..12]);
        self.cache.join(format!("{key}.json"))
    }

    fn read(&self, slot: &Path) -> Option<Netlist> {
        let contents = sealed::read(slot, "the module is synthesised again")?;
        serde_json::from_slice(&contents).ok()
    }

    fn options(&self) -> &'static str {
        match self.family {
            DeviceFamily::ZynqUltrascale => "-family xcup -uram",
            DeviceFamily::Zynq7000 => "-family xc7",
        }
    }
}

type Sources<'a> = BTreeMap<&'a str, &'a Source>;

fn by_name(sources: &[Source]) -> Sources<'_> {
    sources.iter().map(|s| (s.name.as_str(), s)).collect()
}

/// Why a run has no netlist.
enum Stopped {
    Interrupted,
    Slow,
    Refused(String),
    Error(YosysError),
}

/// One run in a folder of its own.
struct Run<'a> {
    yosys: &'a Yosys,
    source: &'a Source,
    folder: &'a Path,
}

impl Run<'_> {
    fn prepare(&self, all: &Sources<'_>) -> Result<(), YosysError> {
        let name = &self.source.name;
        let write = |file: String, text: &str| {
            let path = self.folder.join(file);
            fs::write(&path, text).map_err(at(&path))
        };
        let mut script = String::new();
        for child in self.source.children.iter().filter_map(|c| all.get(c.as_str())) {
            write(format!("{}.v", child.name), &child.text)?;
            script += &format!("read_verilog -lib {}.v\n", child.name);
        }
        write(format!("{name}.v"), &self.source.text)?;
        script += &format!("read_verilog {name}.v\nhierarchy -check -top {name}\n");
        script += &format!("synth_xilinx {} -noiopad -noclkbuf -top {name}\n", self.yosys.options());
        script += "write_json netlist.json\n";
        Ok(write("run.ys".to_string(), &script)?)
    }

    fn finish(&self, stopped: &dyn Fn() -> bool) -> Result<Netlist, Stopped> {
        let log = self.folder.join("yosys.log");
        let command = &mut self.yosys.command(self.folder);
        match tool::run(command, &log, LIMIT, stopped, |_| {}).map_err(|e| Stopped::Error(e.into()))? {
            End::Exited(status) if status.success() => {}
            End::Exited(_) => return Err(Stopped::Refused(self.first_error(&log))),
            End::TimeUp => return Err(Stopped::Slow),
            End::Interrupted => return Err(Stopped::Interrupted),
        }
        if !self.folder.join("netlist.json").is_file() {
            let program = self.yosys.program.display();
            let reason = format!("{program} ended well but wrote no netlist, is it yosys?");
            return Err(Stopped::Refused(reason));
        }
        self.netlist().map_err(Stopped::Error)
    }

    fn first_error(&self, log: &Path) -> String {
        let text = fs::read(log).map(|t| String::from_utf8_lossy(&t).into_owned()).unwrap_or_default();
        let line = || tool::cause(&text, &[|line| line.contains("ERROR")]).map(str::to_owned);
        disk::full(&text, self.folder).or_else(line).unwrap_or_else(|| "no output".to_string())
    }

    fn netlist(&self) -> Result<Netlist, YosysError> {
        let path = self.folder.join("netlist.json");
        let text = fs::read_to_string(&path).map_err(at(&path))?;
        let bad = |reason: String| YosysError::Netlist {
            path: path.display().to_string(),
            module: self.source.name.clone(),
            reason,
        };
        let mut written: Written = serde_json::from_str(&text).map_err(|e| bad(e.to_string()))?;
        written.modules.remove(&self.source.name).ok_or_else(|| bad("the module is missing".to_string()))
    }
}
