//! Reading in a process of its own, with limits, so that no document can take the caller down
//! with it: a panic, a stack that overflows, memory without end or a loop ends the child, and the
//! caller gets an error.
//!
//! [`Apart`] starts a program, hands it the document, and waits; that program calls [`serve`] and
//! nothing else. The child may not open files or start processes, and gets no environment. Linux
//! and other Unix systems hold its memory and its time on the processor to the limits; macOS does
//! not know the first of them and Windows none, so there the child is only ended when its time is
//! over.

mod child;
mod parent;
mod wire;

pub use child::serve;
pub use parent::Apart;
