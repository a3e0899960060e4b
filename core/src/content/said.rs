//! The words and passages of a page as numbers, to be compared with what its site said before.

/// Letters of a word below which it is not looked at alone: pieces of identifiers are short.
const SHORT_WORD: usize = 3;
/// What a page says, as numbers.
#[derive(Debug, Clone, Default)]
pub struct Said {
    /// Its words, each once, but for short ones.
    pub words: Vec<u32>,
    /// Its passages of several words, and how many those are.
    pub passages: Vec<(u32, usize)>,
}

impl Said {
    /// Of a page's passages. Numbers in them do not count.
    pub fn of(passages: &[String]) -> Self {
        let mut said = Self::default();
        for passage in passages {
            let mut whole = Hash::default();
            let mut words = 0;
            for word in passage.split(|sign: char| !sign.is_alphabetic()) {
                if word.is_empty() {
                    continue;
                }
                words += 1;
                whole.text(word);
                if word.chars().nth(SHORT_WORD - 1).is_some() {
                    let mut alone = Hash::default();
                    alone.text(word);
                    said.words.push(alone.short());
                }
            }
            // A single word stands among the words.
            if words > 1 {
                said.passages.push((whole.short(), words));
            }
        }
        said.words.sort_unstable();
        said.words.dedup();
        said
    }
}

/// Texts as one number (FNV-1a), in whatever case.
#[derive(Debug, Clone, Copy)]
pub struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    /// Goes on with a text.
    pub fn text(&mut self, text: &str) {
        if text.is_ascii() {
            for sign in text.bytes().chain([0]) {
                let sign = u64::from(sign.to_ascii_lowercase());
                self.0 = (self.0 ^ sign).wrapping_mul(0x0100_0000_01b3);
            }
            return;
        }
        for sign in text.chars().flat_map(char::to_lowercase).chain(['\0']) {
            self.0 = (self.0 ^ u64::from(sign)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// The number.
    pub fn whole(self) -> u64 {
        self.0
    }

    /// Half of it.
    pub fn short(self) -> u32 {
        (self.0 ^ (self.0 >> 32)) as u32
    }
}
