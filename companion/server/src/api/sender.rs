//! Who sends a request, as far as the guard and the sign-in tell.

/// Who sends a request, as far as that decides how much they may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// Anybody. Also a program whose calls are short.
    Stranger,
    /// Somebody who says that they have a channel; its name has to be right.
    Browser,
    /// Somebody who has shown that they may send this request.
    Known,
}
