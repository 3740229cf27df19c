//! A batch on a thread of its own: devices cannot leave the thread that made them.
//!
//! Work is done one piece after another, in the order in which it was asked for. What nobody waits for any more is left
//! out, so a sequence is cancelled by dropping what was asked for and rewinding its slot.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use sagen_streamed_arch::{Device, DeviceError, ModelProgram};

use crate::{Batch, EngineError};

type Work = Box<dyn FnOnce(&mut Batch<'static>) + Send>;

/// A device at work.
pub struct Engine {
    /// Gone when no more work comes.
    work: Option<Sender<Work>>,
    thread: Option<JoinHandle<()>>,
}

/// A result to come. Dropping it leaves out what has not begun.
pub struct Pending<T> {
    result: Receiver<Result<T, EngineError>>,
    unwanted: Arc<AtomicBool>,
}

impl Engine {
    /// Makes a device that holds the program, on its thread, and waits until it is there.
    pub fn start(
        program: Arc<ModelProgram>,
        make: impl FnOnce() -> Result<Box<dyn Device>, DeviceError> + Send + 'static,
    ) -> Result<Self, EngineError> {
        let (work, queue) = channel::<Work>();
        let (ready, made) = channel();
        let thread = std::thread::spawn(move || {
            let device = match make() {
                Ok(device) => device,
                // The starter waits for it.
                Err(e) => return drop(ready.send(Err(e))),
            };
            let mut batch = Batch::new(device, program);
            if ready.send(Ok(())).is_ok() {
                queue.into_iter().for_each(|piece| piece(&mut batch));
            }
        });
        made.recv().map_err(|_| EngineError::Ended)??;
        Ok(Self { work: Some(work), thread: Some(thread) })
    }

    /// Ask for something to be done with the batch: a step, a fork, or a whole policy.
    pub fn ask<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Batch<'static>) -> Result<T, EngineError> + Send + 'static,
    ) -> Pending<T> {
        let (reply, result) = channel();
        let unwanted = Arc::new(AtomicBool::new(false));
        let skip = Arc::clone(&unwanted);
        let piece: Work = Box::new(move |batch| {
            if !skip.load(Ordering::Relaxed) {
                // Whoever asked may have gone meanwhile.
                let _ = reply.send(what(batch));
            }
        });
        // A thread that is gone drops the piece, which the one who waits sees.
        let _ = self.work.as_ref().map(|work| work.send(piece));
        Pending { result, unwanted }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.work = None;
        if let Some(thread) = self.thread.take() {
            // A panic has been printed, and every answer that it cost was an error.
            let _ = thread.join();
        }
    }
}

impl<T> Pending<T> {
    /// Wait for it.
    pub fn wait(self) -> Result<T, EngineError> {
        self.result.recv().map_err(|_| EngineError::Ended)?
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        self.unwanted.store(true, Ordering::Relaxed);
    }
}
