//! Long work that is no search: `go perft`, `bench`, `genfens`.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use crossbeam::channel::{Receiver, bounded, never};

/// Work on a thread of its own, so that `isready`, `stop` and `quit` are heard meanwhile.
#[derive(Debug)]
pub struct Task {
    cancel: Arc<AtomicBool>,
    ended: Receiver<()>,
    thread: JoinHandle<()>,
}

impl Task {
    /// Starts `work`, which is to end soon after the flag it is given is set.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn spawn(work: impl FnOnce(&AtomicBool) + Send + 'static) -> io::Result<Task> {
        let cancel = Arc::new(AtomicBool::new(false));
        let (ending, ended) = bounded(0);
        let flag = Arc::clone(&cancel);
        let thread = thread::Builder::new()
            .name("task".to_owned())
            .spawn(move || {
                // Closes when the work is over, also by a panic.
                let _ending = ending;
                work(&flag);
            })?;
        Ok(Task {
            cancel,
            ended,
            thread,
        })
    }

    /// Asks the work to end.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// Waits for the end; `false` if the work panicked.
    pub fn join(self) -> bool {
        self.thread.join().is_ok()
    }
}

/// A channel that is closed when the task, if there is one, is over.
pub fn ended(task: Option<&Task>) -> Receiver<()> {
    task.map_or_else(never, |task| task.ended.clone())
}
