//! A program in a process group of its own, so that what it starts can be ended with it.

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a program may take to end on request.
const GRACE: Duration = Duration::from_secs(1);
/// How often it is looked at meanwhile.
const PERIOD: Duration = Duration::from_millis(20);

/// All groups that run.
static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

fn running() -> MutexGuard<'static, BTreeSet<i32>> {
    // A set of numbers is whole at any time, also after a panic.
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A program that runs, with all that it started; nothing of it outlives the value.
pub(crate) struct Group {
    child: Child,
    id: Pid,
}

impl Group {
    pub(crate) fn spawn(command: &mut Command) -> std::io::Result<Self> {
        // The lock is held over the start, so that `kill_all` misses no group.
        let mut running = running();
        let child = command.process_group(0).spawn()?;
        let id = child.id().cast_signed();
        running.insert(id);
        Ok(Self { child, id: Pid::from_raw(id) })
    }

    /// How the program itself ended, if it did.
    pub(crate) fn ended(&mut self) -> std::io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Ask it to end, and end it where that does not help.
    pub(crate) fn end(mut self) {
        // The group may be gone already, which is what is wanted.
        let _ = killpg(self.id, Signal::SIGTERM);
        let asked = Instant::now();
        while asked.elapsed() < GRACE && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(PERIOD);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // As above.
        let _ = killpg(self.id, Signal::SIGKILL);
        let _ = self.child.wait();
        running().remove(&self.id.as_raw());
    }
}

/// End every group at once, without asking.
pub(crate) fn kill_all() {
    for id in running().iter() {
        // As above.
        let _ = killpg(Pid::from_raw(*id), Signal::SIGKILL);
    }
}
