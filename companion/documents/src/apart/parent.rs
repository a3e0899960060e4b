//! The parent: starts a child for one document and takes its answer, or ends it.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::wire::{Head, LONGEST_ANSWER, answered};
use crate::{DocumentError, Kind};

/// Has mimalloc, where the program uses it, take memory from the system in pieces of 32 MiB (here in KiB).
/// Else it takes a gibibyte before there is a limit, and none would hold.
const PIECES: (&str, &str) = ("MIMALLOC_ARENA_RESERVE", "32768");
/// Bytes that are read of what a child complains.
const LONGEST_COMPLAINT: u64 = 16 << 10;
/// How long a child that has answered, or has ended, may keep its complaints to itself.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads documents in processes of their own.
#[derive(Debug, Clone)]
pub struct Apart {
    /// The program; it calls [`serve`](super::serve) with its standard input and output.
    pub program: PathBuf,
    /// What makes it do so.
    pub args: Vec<String>,
    /// How long one document may take, from the start of the program to its whole answer.
    pub time: Duration,
    /// Bytes of memory that the process may have, its program included: below 64 MiB few
    /// programs run at all.
    pub memory: u64,
}

impl Apart {
    /// The document as HTML, as [`to_html`](crate::to_html) gives it. Blocks until it is read,
    /// and no longer than [`Apart::time`] and two seconds.
    ///
    /// Besides what can be wrong with the document it fails if that took too long
    /// ([`DocumentError::Time`]) or too much memory ([`DocumentError::Memory`]), if the reader
    /// broke down or gave no whole answer ([`DocumentError::Crash`]), or if the program cannot be
    /// started ([`DocumentError::Start`]). In none of these cases is a part of a document given.
    pub fn to_html(
        &self,
        kind: Kind,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<String, DocumentError> {
        let end = Instant::now() + self.time;
        let wrong = |error| DocumentError::Start(self.program.clone(), error);
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .env_clear()
            .env(PIECES.0, PIECES.1)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = Running(command.spawn().map_err(wrong)?);
        let head = Head {
            kind,
            memory: self.memory,
            time: self.time,
            content_type: content_type.map(str::to_owned),
            length: body.len() as u64,
        };
        child.hand_over(head.bytes(), body.to_vec());
        let answer = collected(child.0.stdout.take(), LONGEST_ANSWER as u64 + 100);
        let complaint = collected(child.0.stderr.take(), LONGEST_COMPLAINT);
        let answer = match answer.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => return Err(DocumentError::Time(kind, self.time)),
            Err(RecvTimeoutError::Disconnected) => Vec::new(),
        };
        if let Some(answer) = answered(kind, &answer) {
            return answer;
        }
        let complaint = complaint.recv_timeout(PATIENCE).unwrap_or_default();
        let complaint = String::from_utf8_lossy(&complaint).into_owned();
        let ended = child.end().map_err(wrong)?;
        Err(self.breakdown(kind, ended, &complaint))
    }

    /// Why a child ended without an answer.
    fn breakdown(&self, kind: Kind, ended: ExitStatus, complaint: &str) -> DocumentError {
        // What Rust says when memory is refused; it then aborts.
        if complaint.contains("memory allocation of") {
            return DocumentError::Memory(kind, self.memory);
        }
        if is_over_time(ended) {
            return DocumentError::Time(kind, self.time);
        }
        let said: Vec<&str> = complaint.split_whitespace().collect();
        let said: String = said.join(" ").chars().take(300).collect();
        DocumentError::Crash(kind, format!("{ended}; {said}"))
    }
}

/// Whether a process was ended for its time on the processor.
#[cfg(unix)]
fn is_over_time(ended: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    // SIGXCPU, on all systems there are.
    ended.signal() == Some(24)
}

#[cfg(not(unix))]
fn is_over_time(_: ExitStatus) -> bool {
    false
}

/// A child that is ended, whatever happens.
struct Running(Child);

impl Running {
    /// Gives it the document. A child that does not read is met with by its time.
    fn hand_over(&mut self, head: Vec<u8>, body: Vec<u8>) {
        if let Some(mut input) = self.0.stdin.take() {
            thread::spawn(move || {
                // A child that has ended already says why itself.
                let _ = input.write_all(&head).and_then(|()| input.write_all(&body));
            });
        }
    }

    /// Ends it, if it has not ended by itself, and says how it did.
    fn end(&mut self) -> io::Result<ExitStatus> {
        let _ = self.0.kill();
        self.0.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// What is read from a child up to its end, at most so much.
fn collected(from: Option<impl Read + Send + 'static>, most: u64) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(from) = from {
            let _ = from.take(most).read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}
