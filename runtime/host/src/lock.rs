//! Lock files: processes that want the same thing take turns. The operating system releases a lock with its process.

use crate::progress::Progress;
use crate::tool::Deadline;
use crate::{PathError, at, cache};
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a lock that another process holds is tried.
const PERIOD: Duration = Duration::from_millis(50);

/// A lock was not obtained.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// The file system refused.
    #[error(transparent)]
    Io(#[from] PathError),
    /// Another process holds it.
    #[error("{path}: another process has held this lock for {seconds} s; is it still alive?", path = path.display())]
    Held {
        /// The lock file.
        path: PathBuf,
        /// How long this process waited.
        seconds: u64,
    },
    /// Nobody waits for it any more.
    #[error("interrupted")]
    Interrupted,
}

/// A lock; released when dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// The lock of this file, unless another process holds it.
    pub fn free(path: &Path) -> Result<Option<Self>, PathError> {
        let file = match File::create(path) {
            Err(reason) if reason.kind() == ErrorKind::IsADirectory => {
                cache::remove(path)?;
                File::create(path)
            }
            made => made,
        };
        let file = file.map_err(at(path))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(reason)) => Err(at(path)(reason)),
        }
    }

    /// The lock of this file; waits for it, and says so by `waiting`, until `limit` has passed or `stopped` says so.
    pub fn take(path: &Path, limit: Duration, stopped: impl Fn() -> bool, waiting: &str) -> Result<Self, LockError> {
        let (deadline, mut progress) = (Deadline::after(limit), None);
        loop {
            if let Some(lock) = Self::free(path)? {
                return Ok(lock);
            }
            if stopped() {
                return Err(LockError::Interrupted);
            }
            if deadline.passed() {
                return Err(LockError::Held { path: path.to_path_buf(), seconds: limit.as_secs() });
            }
            progress.get_or_insert_with(|| Progress::spinner(waiting));
            std::thread::sleep(PERIOD);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Lock, LockError};
    use std::time::Duration;

    #[test]
    fn a_lock_is_waited_for_until_it_is_free_or_the_time_is_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = Lock::free(&path).unwrap().unwrap();
        assert!(Lock::free(&path).unwrap().is_none());
        let take = |seconds, stopped: bool| Lock::take(&path, Duration::from_secs(seconds), || stopped, "waiting");
        let error = take(0, false).unwrap_err().to_string();
        assert!(error.ends_with("lock: another process has held this lock for 0 s; is it still alive?"), "{error}");
        assert!(matches!(take(60, true), Err(LockError::Interrupted)));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| take(60, false).is_ok());
            std::thread::sleep(Duration::from_millis(100));
            drop(held);
            assert!(waiting.join().unwrap());
        });
    }
}
