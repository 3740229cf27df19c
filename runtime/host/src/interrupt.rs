//! Ctrl-C, SIGTERM and SIGHUP.
//!
//! The first signal is heard by whoever listens, who then ends in good order. Where nobody listens, and at the second
//! signal, the process ends at once, with all programs that it runs.

use crate::group;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// How shells name the end by Ctrl-C.
const EXIT_CODE: i32 = 130;

static RAISED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static LISTENERS: AtomicUsize = AtomicUsize::new(0);

/// Signals cannot be watched.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch for Ctrl-C: {0}")]
pub struct InterruptError(ctrlc::Error);

/// Whether a signal has arrived; without a listener, none ever does.
pub fn raised() -> bool {
    RAISED.load(Ordering::Relaxed)
}

/// While it lives, the first signal sets the flag that this is.
#[derive(Debug)]
#[must_use = "signals are heard while it lives"]
pub struct Listener(());

/// Hear signals from now on.
pub fn listen() -> Result<Listener, InterruptError> {
    install()?;
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

fn install() -> Result<(), InterruptError> {
    static INSTALLED: Mutex<bool> = Mutex::new(false);
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    if !*installed {
        ctrlc::set_handler(signalled).map_err(InterruptError)?;
        *installed = true;
    }
    Ok(())
}

fn signalled() {
    let again = RAISED.swap(true, Ordering::SeqCst);
    if again || LISTENERS.load(Ordering::SeqCst) == 0 {
        group::kill_all();
        std::process::exit(EXIT_CODE);
    }
}
