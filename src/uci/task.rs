//! Long work that is no search: `go perft`, `bench`, `genfens`.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use crossbeam::channel::{Receiver, RecvTimeoutError, bounded, never};

use crate::system::{self, SMALL_STACK};

/// Work on a thread of its own, so that `isready`, `stop` and `quit` are heard meanwhile.
#[derive(Debug)]
pub struct Task {
    cancel: Arc<AtomicBool>,
    ended: Receiver<()>,
    thread: JoinHandle<Result<(), String>>,
}

impl Task {
    /// Starts `work`, which is to end soon after the flag it is given is set; an error is why it
    /// came to nothing.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn spawn(
        work: impl FnOnce(&AtomicBool) -> Result<(), String> + Send + 'static,
    ) -> io::Result<Task> {
        let cancel = Arc::new(AtomicBool::new(false));
        let (ending, ended) = bounded(0);
        let flag = Arc::clone(&cancel);
        let thread = system::start_thread(SMALL_STACK, |thread, begun| {
            thread.name("task".to_owned()).spawn(move || {
                drop(begun);
                // Closes when the work is over, also by a panic.
                let _ending = ending;
                work(&flag)
            })
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

    /// Whether it ends within so long a time.
    pub fn ends_within(&self, patience: Duration) -> bool {
        self.ended.recv_timeout(patience) == Err(RecvTimeoutError::Disconnected)
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// That of the work.
    pub fn join(self) -> Result<(), String> {
        let result = self.thread.join();
        result.unwrap_or_else(|_| Err("that failed by a fault of the program".to_owned()))
    }
}

/// A channel that is closed when the task, if there is one, is over.
pub fn ended(task: Option<&Task>) -> Receiver<()> {
    task.map_or_else(never, |task| task.ended.clone())
}
