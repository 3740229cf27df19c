//! Ctrl-C, SIGTERM and SIGHUP.
//!
//! The first signal is heard by whoever listens, who then ends in good order. Where nobody listens, where the listener
//! is busy for too long, and at the second signal, the process ends at once: with all programs that it runs, with its
//! temporary files removed, and with what it had found so far written where that was asked for.

use crate::group;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

/// Shells add this to the number of the signal that ended a program.
const EXIT_BASE: i32 = 128;
/// How long a listener may take to hear the first signal.
const PATIENCE: Duration = Duration::from_millis(1500);
/// How long the last wills may take: a pipe that nobody reads must not keep the process.
const WILL_LIMIT: Duration = Duration::from_millis(1000);

static RAISED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static SIGNAL: AtomicI32 = AtomicI32::new(0);
static LISTENERS: AtomicUsize = AtomicUsize::new(0);
static HEARD: AtomicBool = AtomicBool::new(false);
static WILLS: Mutex<Wills> = Mutex::new(Wills { next: 0, open: BTreeMap::new() });
static MOVING: RwLock<()> = RwLock::new(());

thread_local! {
    /// Whether this thread executes wills: it alone moves files while the process ends.
    static EXECUTES: Cell<bool> = const { Cell::new(false) };
}

/// Signals cannot be watched.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch for Ctrl-C: {0}")]
pub struct InterruptError(std::io::Error);

/// Whether a signal has arrived that somebody listened to.
pub fn raised() -> bool {
    RAISED.load(Ordering::Relaxed)
}

/// How shells name the end by the signal that arrived.
pub fn exit_code() -> Option<u8> {
    raised().then(|| u8::try_from(EXIT_BASE + SIGNAL.load(Ordering::SeqCst)).unwrap_or(u8::MAX))
}

/// The signal was heard: what follows has the time that it needs, until the next signal.
pub fn heard() {
    HEARD.store(true, Ordering::SeqCst);
}

/// While it lives, the first signal sets the flag that this is.
#[derive(Debug)]
#[must_use = "signals are heard while it lives"]
pub struct Listener(());

/// Hear signals from now on.
pub fn listen() -> Result<Listener, InterruptError> {
    watch()?;
    LISTENERS.fetch_add(1, Ordering::SeqCst);
    Ok(Listener(()))
}

impl Listener {
    /// The flag, for those who keep it.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&RAISED)
    }
}

impl Deref for Listener {
    type Target = AtomicBool;

    fn deref(&self) -> &AtomicBool {
        &RAISED
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        LISTENERS.fetch_sub(1, Ordering::SeqCst);
    }
}

type Act = Box<dyn FnOnce() + Send>;

struct Wills {
    next: u64,
    open: BTreeMap<u64, Act>,
}

fn wills() -> MutexGuard<'static, Wills> {
    // Every change is one step, so a panic elsewhere leaves it whole.
    WILLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is done should a signal end the process at once while this lives.
#[derive(Debug)]
#[must_use = "it holds while it lives"]
pub struct Will(u64);

/// Do this should a signal end the process at once. It runs on another thread than the work that it cuts off.
pub fn will(act: impl FnOnce() + Send + 'static) -> Will {
    let mut wills = wills();
    wills.next += 1;
    let id = wills.next;
    wills.open.insert(id, Box::new(act));
    Will(id)
}

impl Will {
    /// Do it now: the signal was heard in good order.
    pub fn execute(self) {
        let act = wills().open.remove(&self.0);
        if let Some(act) = act {
            act();
        }
    }
}

impl Drop for Will {
    fn drop(&mut self) {
        let _dropped_outside_the_lock = wills().open.remove(&self.0);
    }
}

/// While it lives, no signal ends the process: files are half-way from one place to another.
#[must_use = "it holds while it lives"]
pub(crate) struct Hold<'a> {
    _moving: Option<RwLockReadGuard<'a, ()>>,
}

/// Move files without being cut off; for moments only.
pub(crate) fn hold() -> Hold<'static> {
    let moving = || MOVING.read().unwrap_or_else(PoisonError::into_inner);
    Hold { _moving: (!EXECUTES.get()).then(moving) }
}

/// Do something short without being cut off by a signal.
pub fn whole<T>(act: impl FnOnce() -> T) -> T {
    let _hold = hold();
    act()
}

/// Watch for signals from now on; done by whoever listens, and by programs as they begin.
pub fn watch() -> Result<(), InterruptError> {
    static WATCHED: Mutex<bool> = Mutex::new(false);
    let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    if *watched {
        return Ok(());
    }
    let mut signals = Signals::new(watched_signals()).map_err(InterruptError)?;
    let (sender, receiver) = channel();
    let spawn = |name: &str, body: Act| std::thread::Builder::new().name(name.to_owned()).spawn(body);
    // The receiver lives as long as the process.
    let forward = move || {
        let _ = signals.forever().try_for_each(|signal| sender.send(signal));
    };
    spawn("signals", Box::new(forward)).map_err(InterruptError)?;
    spawn("interrupt", Box::new(move || react(&receiver))).map_err(InterruptError)?;
    *watched = true;
    Ok(())
}

/// `nohup` has SIGHUP ignored, which stays so.
fn watched_signals() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let is_ignored = |signal: i32| ignored >> (signal - 1) & 1 == 1;
    [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| *signal != SIGHUP || !is_ignored(*signal)).collect()
}

fn react(signals: &Receiver<i32>) {
    let Ok(first) = signals.recv() else { return };
    SIGNAL.store(first, Ordering::SeqCst);
    RAISED.store(true, Ordering::SeqCst);
    if LISTENERS.load(Ordering::SeqCst) == 0 {
        end(first);
    }
    match signals.recv_timeout(PATIENCE) {
        Ok(second) => end(second),
        Err(_) if HEARD.load(Ordering::SeqCst) => {}
        Err(_) => end(first),
    }
    end(signals.recv().unwrap_or(first));
}

/// End the process, and what belongs to it.
fn end(signal: i32) -> ! {
    // Whoever moves files now is waited for, and nobody begins to.
    let _still = MOVING.write().unwrap_or_else(PoisonError::into_inner);
    group::kill_all();
    let open = std::mem::take(&mut wills().open);
    let (done, finished): (Sender<()>, Receiver<()>) = channel();
    let execute = move || {
        EXECUTES.set(true);
        open.into_values().for_each(|act| act());
        drop(done);
    };
    if std::thread::Builder::new().spawn(execute).is_ok() {
        // Its end is the end of the channel.
        let _ = finished.recv_timeout(WILL_LIMIT);
    }
    crate::outcome::complain("Error: interrupted");
    // No destructors: other threads are still at work.
    low_level::exit(EXIT_BASE + signal)
}
