//! Reading in a process of its own, with limits, so that no document can take the caller down
//! with it: a panic, a stack that overflows, memory without end or a loop ends the child, and the
//! caller gets an error.
//!
//! [`Apart`] starts a program, hands it the document, and waits; that program calls [`serve`] and
//! nothing else. It gets no environment.
//!
//! Linux and other Unix systems hold the memory and the processor time of the child to the limits,
//! and let it open no file and start no process. On Linux a sandbox (Landlock and a seccomp filter,
//! as far as the kernel has them) also forbids files, the network and other programs, for root too.
//! macOS does not limit memory and Windows nothing: there the child is only ended when its time is
//! over, and could open files and connect.

mod child;
mod parent;
#[cfg(target_os = "linux")]
mod sandbox;
mod wire;

pub use child::serve;
pub use parent::Apart;
