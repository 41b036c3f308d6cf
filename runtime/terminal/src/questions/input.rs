//! Lines of standard input, read only while a question is open.
//!
//! At other times, the input belongs to other readers of the terminal: the editor of a chat, or the shell.

#[derive(Debug)]
pub(super) struct Input {
    #[cfg(not(unix))]
    lines: Option<tokio::sync::mpsc::UnboundedReceiver<String>>,
}

impl Input {
    pub(super) const fn new() -> Self {
        Self {
            #[cfg(not(unix))]
            lines: None,
        }
    }
}

#[cfg(unix)]
mod lines {
    use std::io::{self, Stdin};
    use std::marker::PhantomData;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::termios::{QueueSelector, tcflush};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    use crate::questions::input::Input;

    /// A longer line than this is no answer.
    const MAX_LINE_BYTES: usize = 64 << 10;

    impl Input {
        pub(in crate::questions) fn start(&mut self) -> Lines<'_> {
            #[expect(
                deprecated,
                reason = "the other way is unsafe; standard input stays open as long as the program runs"
            )]
            let stdin = AsyncFd::with_interest(io::stdin(), Interest::READABLE);
            Lines {
                stdin: stdin.ok(),
                buffer: Vec::new(),
                input: PhantomData,
            }
        }
    }

    /// Lines that are typed from now on.
    pub(in crate::questions) struct Lines<'i> {
        /// `None` if the system cannot wait for the terminal.
        stdin: Option<AsyncFd<Stdin>>,
        buffer: Vec<u8>,
        input: PhantomData<&'i mut Input>,
    }

    impl Lines<'_> {
        #[expect(clippy::unused_self, reason = "elsewhere it is what it reads from")]
        pub(in crate::questions) fn discard_pending(&mut self) {
            let _ = tcflush(io::stdin(), QueueSelector::IFlush);
        }

        /// Waits for a line; `None` where no more come.
        pub(in crate::questions) async fn next(&mut self) -> Option<String> {
            loop {
                if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                    let line: Vec<u8> = self.buffer.drain(..=end).collect();
                    return Some(String::from_utf8_lossy(&line).into_owned());
                }
                let bytes = self.next_bytes().await?;
                if self.buffer.len() < MAX_LINE_BYTES {
                    self.buffer.extend_from_slice(&bytes);
                } else {
                    self.buffer.truncate(MAX_LINE_BYTES);
                }
            }
        }

        /// Waits for bytes; `None` where no more come.
        pub(in crate::questions) async fn next_bytes(&mut self) -> Option<Vec<u8>> {
            let mut bytes = [0; 4096];
            loop {
                let mut ready = self.stdin.as_ref()?.readable().await.ok()?;
                match ready.try_io(|_| read(&mut bytes)) {
                    Ok(Ok(0) | Err(_)) => return None,
                    Ok(Ok(length)) => return Some(bytes[..length].to_vec()),
                    Err(_nothing_yet) => {}
                }
            }
        }

        /// Returns the bytes that have been typed already.
        #[cfg(feature = "chat")]
        #[expect(clippy::unused_self, reason = "the lines are what has the input")]
        pub(in crate::questions) fn pending_bytes(&mut self) -> Vec<u8> {
            let mut bytes = [0; 4096];
            let length = read(&mut bytes).unwrap_or(0);
            bytes[..length].to_vec()
        }
    }

    /// Reads the available bytes. Another reader may have consumed them, and then a read would block.
    fn read(bytes: &mut [u8]) -> io::Result<usize> {
        let stdin = io::stdin();
        let mut polled = [PollFd::new(&stdin, PollFlags::IN)];
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        if poll(&mut polled, Some(&now))? == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(rustix::io::read(&stdin, bytes)?)
    }
}

#[cfg(not(unix))]
mod lines {
    use std::io::BufRead;

    use tokio::sync::mpsc;

    use crate::questions::input::Input;

    impl Input {
        /// Starts reading on a separate thread, since a read cannot be cancelled on this platform.
        pub(in crate::questions) fn start(&mut self) -> Lines<'_> {
            Lines {
                receiver: self.lines.get_or_insert_with(read_lines),
            }
        }
    }

    /// Lines that are typed from now on.
    pub(in crate::questions) struct Lines<'i> {
        receiver: &'i mut mpsc::UnboundedReceiver<String>,
    }

    impl Lines<'_> {
        pub(in crate::questions) fn discard_pending(&mut self) {
            while self.receiver.try_recv().is_ok() {}
        }

        /// Waits for a line; `None` where no more come.
        pub(in crate::questions) async fn next(&mut self) -> Option<String> {
            self.receiver.recv().await
        }
    }

    fn read_lines() -> mpsc::UnboundedReceiver<String> {
        let (sender, receiver) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        receiver
    }
}

pub(super) use lines::Lines;
