//! The child: reads one document, within limits that it sets itself before it sees it.

use std::io::{self, Read, Write};

#[cfg(target_os = "linux")]
use super::sandbox;
use super::wire::{Head, answer};
use crate::to_html;

/// Serves one request: reads it from `input`, writes its answer to `output`, and returns. Limits
/// and sandbox hold for the whole process from then on, so a program calls this and then ends. It
/// must have no other threads.
///
/// Fails if what arrives is no request of [`Apart`](super::Apart), if the limits cannot be set,
/// or if the answer cannot be written. A document that cannot be read is an answer.
pub fn serve(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let head = Head::read(&mut input)?;
    // Landlock needs a file descriptor for a moment, which the limits would refuse. The filter
    // comes last, because it refuses to set limits.
    #[cfg(target_os = "linux")]
    let _ = sandbox::forbid_files_and_network();
    limit(&head)?;
    #[cfg(target_os = "linux")]
    sandbox::filter_system_calls();
    let mut body = Vec::new();
    input.take(head.length).read_to_end(&mut body)?;
    if body.len() as u64 != head.length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let read = to_html(head.kind, &body, head.content_type.as_deref());
    answer(&mut output, &read)
}

#[cfg(unix)]
fn limit(head: &Head) -> io::Result<()> {
    use rlimit::Resource;
    // Of time on the processor it gets no more than it gets of time; the parent's clock is finer.
    let seconds = head.time.as_secs().saturating_add(1);
    let limits = [
        (Resource::AS, head.memory),
        (Resource::CPU, seconds),
        // What is open stays open; nothing is opened, started or written to a file.
        (Resource::NOFILE, 0),
        (Resource::NPROC, 0),
        (Resource::FSIZE, 0),
        (Resource::CORE, 0),
    ];
    for (resource, most) in limits {
        // Not every Unix knows them all; macOS refuses to limit addresses.
        let is_known = resource.is_supported()
            && !(cfg!(target_os = "macos") && matches!(resource, Resource::AS));
        if is_known {
            let (_, hard) = resource.get()?;
            let most = most.min(hard);
            // The signal that says why comes at the first limit, and only then the end.
            let spare = u64::from(matches!(resource, Resource::CPU));
            resource.set(most, most.saturating_add(spare).min(hard))?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn limit(_: &Head) -> io::Result<()> {
    Ok(())
}
