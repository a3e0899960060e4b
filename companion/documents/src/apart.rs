//! Reading in a process of its own, with limits, so that no document can take the caller down
//! with it: a panic, a stack that overflows, memory without end or a loop ends the child, and the
//! caller gets an error.
//!
//! [`Apart`] starts a program, hands it the document, and waits; that program calls [`serve`] and
//! nothing else. Linux and other Unix systems hold its memory and its time on the processor to the
//! limits, and let it open no file and start no process (as root it could start some). macOS does
//! not limit memory and Windows nothing, so there the child is only ended when its time is over.
//! It gets no environment. Where more is wanted, such as no network, the program must see to it.

mod child;
mod parent;
mod wire;

pub use child::serve;
pub use parent::Apart;
