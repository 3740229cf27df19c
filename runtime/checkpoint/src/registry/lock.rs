//! Runs that want the same file wait for each other.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{RegistryError, progress};

/// Holds the lock file until the value is dropped; the operating system releases it should the process die.
pub(super) fn exclusive(path: &Path, interrupted: &AtomicBool) -> Result<File, RegistryError> {
    let file = File::create(path).map_err(RegistryError::io("create", path))?;
    let mut spinner = None;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if interrupted.load(Ordering::Relaxed) => {
                return Err(RegistryError::Interrupted);
            }
            Err(TryLockError::WouldBlock) => {
                let waiting = || progress::spinner("waiting for another run that fetches the same model");
                spinner.get_or_insert_with(waiting).tick();
                std::thread::sleep(Duration::from_millis(100));
            }
            Err(TryLockError::Error(reason)) => {
                return Err(RegistryError::io("lock", path)(reason));
            }
        }
    }
}
