//! What is saved is packed (LZ4), summed up and written in a thread of its own, while the crawl's goes
//! on saying what there is: the crawl stands still as long.

use std::fs::File;
use std::io::{self, Write};
use std::mem;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use crc32fast::Hasher;
use lz4_flex::frame::FrameEncoder;

use super::BUFFER;

/// Blocks that wait to be packed.
const AHEAD: usize = 8;

/// Takes what is to be packed.
pub(super) struct Packing {
    block: Vec<u8>,
    blocks: SyncSender<Vec<u8>>,
    /// Blocks that were packed, to be filled again.
    spare: Receiver<Vec<u8>>,
    thread: JoinHandle<io::Result<File>>,
}

impl Packing {
    /// Into that file.
    pub(super) fn into(file: File) -> Self {
        let (blocks, packed) = sync_channel(AHEAD);
        let (done, spare) = channel();
        Self {
            block: Vec::with_capacity(BUFFER),
            blocks,
            spare,
            thread: thread::spawn(move || pack(file, &packed, &done)),
        }
    }

    /// The file, with all that was taken and its checksum; what hindered it where something did.
    pub(super) fn finish(mut self) -> io::Result<File> {
        let sent = self.send();
        drop(self.blocks);
        let written = self.thread.join();
        let written = written.unwrap_or_else(|_| Err(io::Error::other("its thread ended")));
        written.and_then(|file| sent.map(|()| file))
    }

    fn send(&mut self) -> io::Result<()> {
        let spare = self.spare.try_recv();
        let spare = spare.unwrap_or_else(|_| Vec::with_capacity(BUFFER));
        let block = mem::replace(&mut self.block, spare);
        let sent = self.blocks.send(block);
        sent.map_err(|_| io::Error::other("it is written no more"))
    }
}

impl Write for Packing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.block.len() + bytes.len() > BUFFER && !self.block.is_empty() {
            self.send()?;
        }
        self.block.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn pack(file: File, blocks: &Receiver<Vec<u8>>, done: &Sender<Vec<u8>>) -> io::Result<File> {
    let checked = Checked {
        inner: file,
        hasher: Hasher::new(),
    };
    let mut encoder = FrameEncoder::new(checked);
    for mut block in blocks {
        encoder.write_all(&block)?;
        block.clear();
        // Whoever fills them may have done so for the last time.
        let _ = done.send(block);
    }
    let Checked { mut inner, hasher } = encoder.finish()?;
    inner.write_all(&hasher.finalize().to_le_bytes())?;
    Ok(inner)
}

/// Passes on what is written, and sums it up.
struct Checked<W> {
    inner: W,
    hasher: Hasher,
}

impl<W: Write> Write for Checked<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
