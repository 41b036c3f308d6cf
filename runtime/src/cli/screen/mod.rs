//! The screen: text that is finished stays where it is; below it a few live lines are written anew in place.
//!
//! A thread of its own writes to the terminal, so that a slow one holds nobody up, and the live lines go on while the
//! program is busy. Whoever else writes while it is at work goes through it, see [`send`].

mod colors;
mod line;
mod region;
mod stage;
pub(super) mod theme;

use std::sync::mpsc::{self, Sender};

use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

pub(super) use colors::{Colors, redraws};
pub(super) use line::Line;
pub(super) use region::Size;
use stage::Stage;

use crate::agent::AgentEvent;
use crate::support::lock::Mutex;

/// What is shown: it takes events in, and says what is finished and what is still live.
pub(super) trait Scene: Send + 'static {
    /// Takes an event; lines that are finished with it go to `finished`.
    fn take(&mut self, event: &AgentEvent, sight: Sight, finished: &mut Vec<Line>);

    /// Returns the lines that may still change.
    fn live(&self, sight: Sight) -> Vec<Line>;

    /// Lets what is unfinished stay as it is: nothing more comes.
    fn finish(&mut self, sight: Sight, finished: &mut Vec<Line>);
}

/// When something is shown, and on how much room.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight {
    pub(super) now: Instant,
    pub(super) size: Size,
}

/// What the thread is told.
enum Order {
    /// Something happened in the turn.
    Event(Box<AgentEvent>),
    /// Somebody else writes.
    Text(String, Stream),
    /// Somebody needs the terminal: the live lines go, and nothing is written until `Resume`.
    Pause(oneshot::Sender<()>),
    Resume,
    Finish,
}

/// Where somebody else's text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Stdout,
    Stderr,
}

/// The screen that is at work, if any.
static AT_WORK: Mutex<Option<Sender<Order>>> = Mutex::new(None);

fn at_work() -> std::sync::MutexGuard<'static, Option<Sender<Order>>> {
    AT_WORK.lock()
}

/// A screen at work, until it is dropped.
#[derive(Debug)]
pub(super) struct Screen {
    orders: Sender<Order>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Screen {
    /// Puts a scene on the terminal.
    pub(super) fn of(scene: impl Scene) -> std::io::Result<Self> {
        let (orders, receiver) = mpsc::channel();
        let stage = Stage::new(Box::new(scene), Colors::of_stdout());
        let thread = std::thread::Builder::new().name("screen".to_owned());
        let thread = thread.spawn(move || stage.run(&receiver))?;
        *at_work() = Some(orders.clone());
        Ok(Self {
            orders,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Shows an event, soon.
    pub(super) fn show(&self, event: &AgentEvent) {
        let _ = self.orders.send(Order::Event(Box::new(event.clone())));
    }
}

impl Screen {
    /// Shows what is left, and gives the terminal back.
    pub(super) fn finish(&self) {
        let thread = self.thread.lock().take();
        if let Some(thread) = thread {
            *at_work() = None;
            let _ = self.orders.send(Order::Finish);
            let _ = thread.join();
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Hands a text to the screen that is at work, which writes it above its live lines.
/// Returns whether there is one.
pub(super) fn send(text: impl FnOnce() -> String, stream: Stream) -> bool {
    let at_work = at_work();
    let orders = at_work.as_ref();
    orders.is_some_and(|orders| orders.send(Order::Text(text(), stream)).is_ok())
}

/// The terminal is somebody's, until this is dropped.
#[derive(Debug)]
pub(super) struct Pause(Option<Sender<Order>>);

/// Takes the terminal: the live lines are gone when this returns, and nothing is written until the pause is dropped.
pub(super) async fn pause() -> Pause {
    let orders = at_work().clone();
    let Some(orders) = orders else {
        return Pause(None);
    };
    let (sender, cleared) = oneshot::channel();
    // Made first: a caller that is dropped while it waits gives the terminal back.
    let pause = Pause(Some(orders.clone()));
    if orders.send(Order::Pause(sender)).is_ok() {
        let _ = cleared.await;
    }
    pause
}

impl Drop for Pause {
    fn drop(&mut self) {
        if let Some(orders) = self.0.take() {
            let _ = orders.send(Order::Resume);
        }
    }
}

/// Takes the live lines away for good, since the process ends now; waits a moment for it.
pub(super) fn abandon() {
    let Some(orders) = at_work().take() else {
        return;
    };
    let (sender, mut cleared) = oneshot::channel();
    if orders.send(Order::Pause(sender)).is_err() {
        return;
    }
    let deadline = Instant::now() + Duration::from_millis(100);
    while Instant::now() < deadline && cleared.try_recv().is_err() {
        std::thread::sleep(Duration::from_millis(1));
    }
}
