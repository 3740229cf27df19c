//! Mutated files, and readers that must survive them: they may refuse a file, but not panic, hang or fill the memory.
//!
//! Offline and seeded: case `n` of a target is the same on every machine. `SAGEN_FUZZ_CASES` is how many cases a target
//! has (2,000), `SAGEN_FUZZ_CASE=target:n` runs one of them. A case that fails leaves its input in the file that the
//! message names; it is there too where the whole process ends.

mod mutate;

use std::fs::File;
use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use mutate::mutate;
pub use peak_alloc::PeakAlloc;

/// Cases of a target in an ordinary run.
const CASES: u64 = 2_000;
/// What a case may take, on a machine that does other things as well.
const LIMIT: Duration = Duration::from_secs(5);
/// Bytes that a case may have at once.
const MEMORY: usize = 1 << 30;
/// Targets share the allocator's count, so one runs after the other.
static TURN: Mutex<()> = Mutex::new(());

/// One reader and what it is given.
pub struct Target<'a> {
    /// Name.
    pub name: &'a str,
    /// Valid inputs.
    pub seeds: Vec<Vec<u8>>,
    /// Words that inputs of this kind are made of.
    pub words: &'a [&'a str],
    /// Slow readers get one case in so many.
    pub one_in: u64,
}

impl Target<'_> {
    /// Runs the cases. `peak` is the global allocator of the test.
    ///
    /// # Panics
    /// If a case fails.
    pub fn run(&self, peak: &PeakAlloc, reader: impl Fn(&[u8])) {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        for seed in &self.seeds {
            reader(seed);
        }
        let watch = Watch::start(self.name);
        for case in self.cases() {
            let input = mutate(&self.seeds, self.words, number(self.name) ^ case);
            let file = watch.case(case, &input);
            peak.reset_peak_usage();
            let (before, start) = (peak.current_usage(), Instant::now());
            let survived = catch_unwind(AssertUnwindSafe(|| reader(&input))).is_ok();
            let (taken, used) = (start.elapsed(), peak.peak_usage().saturating_sub(before));
            let again = format!("SAGEN_FUZZ_CASE={}:{case}; its input is {}", self.name, file.display());
            assert!(survived, "the reader panicked: {again}");
            assert!(taken < LIMIT, "the reader took {taken:?}: {again}");
            assert!(used < MEMORY, "the reader used {used} bytes: {again}");
        }
    }

    fn cases(&self) -> Box<dyn Iterator<Item = u64>> {
        if let Ok(one) = std::env::var("SAGEN_FUZZ_CASE") {
            let (target, case) = one.split_once(':').expect("SAGEN_FUZZ_CASE is target:number");
            let case = case.parse().expect("SAGEN_FUZZ_CASE ends with a number");
            return Box::new((target == self.name).then_some(case).into_iter());
        }
        let count =
            std::env::var("SAGEN_FUZZ_CASES").map_or(CASES, |n| n.parse().expect("SAGEN_FUZZ_CASES is a number"));
        Box::new(0..count.div_ceil(self.one_in))
    }
}

/// Ends the process where a case never ends by itself.
struct Watch {
    name: String,
    folder: PathBuf,
    open: File,
    /// The case that runs, and since when; none after the last.
    now: Arc<Mutex<Option<(u64, Instant)>>>,
}

impl Watch {
    fn start(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("sagen-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written to");
        let now = Arc::new(Mutex::new(Some((0, Instant::now()))));
        let open = File::create(folder.join(name)).expect("the temporary folder can be written to");
        let watch = Self { name: name.to_owned(), folder, open, now: Arc::clone(&now) };
        let (name, file) = (name.to_owned(), watch.file());
        std::thread::spawn(move || {
            loop {
                // Copied, so that the lock is not held while this thread sleeps.
                let running = *now.lock().unwrap_or_else(PoisonError::into_inner);
                let Some((case, since)) = running else { return };
                if since.elapsed() > 4 * LIMIT {
                    let again = format!("SAGEN_FUZZ_CASE={name}:{case}; its input is {}", file.display());
                    eprintln!("the reader does not end: {again}");
                    std::process::exit(101);
                }
                std::thread::sleep(Duration::from_millis(200));
            }
        });
        watch
    }

    fn file(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// Writes the input of a case that is about to run; the file stays open, for that is quicker.
    fn case(&self, case: u64, input: &[u8]) -> PathBuf {
        let mut input_file = &self.open;
        let written = input_file.rewind().and_then(|()| input_file.write_all(input));
        written.and_then(|()| input_file.set_len(input.len() as u64)).expect("the temporary folder can be written to");
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = Some((case, Instant::now()));
        self.file()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if !std::thread::panicking() {
            // What is left behind says nothing.
            let _ = std::fs::remove_file(self.file());
            let _ = std::fs::remove_dir(&self.folder);
        }
    }
}

/// A number per target, so that no two have the same mutations (FNV-1a of the name).
fn number(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static PEAK: PeakAlloc = PeakAlloc;

    /// The message with which a reader fails that does this on every input but its seed.
    fn failure(name: &str, bad: impl Fn()) -> String {
        let target = Target { name, seeds: vec![b"seed 1".to_vec()], words: &[], one_in: 100 };
        let run = || {
            target.run(&PEAK, |input| {
                if input != b"seed 1" {
                    bad()
                }
            })
        };
        let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
        panic.downcast_ref::<String>().unwrap().clone()
    }

    #[test]
    fn readers_that_panic_wait_or_take_memory_fail_and_their_input_is_kept() {
        let panics = failure("panics", || panic!("on purpose"));
        assert!(panics.starts_with("the reader panicked: SAGEN_FUZZ_CASE=panics:"), "{panics}");
        let waits = failure("waits", || std::thread::sleep(LIMIT));
        assert!(waits.starts_with("the reader took 5"), "{waits}");
        let takes = failure("takes", || drop(std::hint::black_box(vec![0u8; MEMORY + 1])));
        assert!(takes.starts_with("the reader used 1"), "{takes}");
        for (message, name) in [(panics, "panics"), (waits, "waits"), (takes, "takes")] {
            let (_, file) = message.split_once("its input is ").unwrap();
            let again = message.split_once("SAGEN_FUZZ_CASE=").unwrap().1.split_once(';').unwrap().0;
            let case: u64 = again.split_once(':').unwrap().1.parse().unwrap();
            assert_eq!(std::fs::read(file).unwrap(), mutate(&[b"seed 1".to_vec()], &[], number(name) ^ case));
            std::fs::remove_file(file).unwrap();
        }
    }
}
