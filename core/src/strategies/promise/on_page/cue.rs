//! The numbers that are looked at of a link.

use std::ops::{Index, IndexMut};

/// On which side of a link a cue lies: what people are told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Its own text and its address.
    Own,
    /// The text next to it and the heading above it.
    Beside,
    /// The links around it and those of the same folder.
    Around,
    /// The page.
    Page,
    /// How it is made: its length, where it stands.
    Form,
}

impl Side {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Own,
        Self::Beside,
        Self::Around,
        Self::Page,
        Self::Form,
    ];
}

macro_rules! cues {
    ($($side:ident: $($name:ident)+;)+) => {
        /// What is looked at of a link; 0 for what is not there. `…ToName` and `…ToTargets` are
        /// cosines, `…NameWords` shares of the name's words by weight, `…Standing` says by how many
        /// standard deviations a link is above the mean of the page. `Sentence…` is known where a sentence
        /// model has read the link's text ([`super::SecondLook`]).
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "their names say it")]
        pub enum Cue { $($($name,)+)+ }

        impl Cue {
            /// All of them, in the order of their numbers.
            pub const ALL: &[Self] = &[$($(Self::$name,)+)+];

            /// What it is called.
            pub fn name(self) -> &'static str {
                match self { $($(Self::$name => stringify!($name),)+)+ }
            }

            /// On which side of the link it lies.
            pub fn side(self) -> Side {
                match self { $($(Self::$name => Side::$side,)+)+ }
            }
        }
    };
}

cues! {
    Own: OwnToName AddressToName BestToName BelowBestToName OwnToNameStanding BestToNameStanding
        OwnToTargets AddressToTargets BestToTargets BelowBestToTargets OwnToTargetsStanding
        BestToTargetsStanding OwnNameWords AddressNameWords NameWordsAmongOwn NameOnTopic
        TargetsOnTopic NameWordsOnTopic SentenceToName SentenceBelowBest SentenceStanding
        SentenceToTargets SentenceBelowBestToTargets SentenceToTargetsStanding SentenceRank
        SentenceToLeaders;
    Beside: NearToName HeadingToName NearToTargets HeadingToTargets NearNameWords
        HeadingNameWords NearToNameStanding NearToTargetsStanding;
    Around: NeighboursToName NeighboursToTargets NeighboursNameWords FolderToName
        FolderToTargets FolderNameWords;
    Page: TitleToName TitleToTargets TitleNameWords LinksWithNameWords;
    Form: OwnWords IsWordless Position Links IsOnHost;
}

/// A number for each cue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cues([f64; Cue::ALL.len()]);

impl Cues {
    /// All numbers, each with its cue.
    pub fn each(&self) -> impl Iterator<Item = (Cue, f64)> + '_ {
        Cue::ALL.iter().copied().zip(self.0)
    }
}

impl Default for Cues {
    fn default() -> Self {
        Self([0.0; Cue::ALL.len()])
    }
}

impl Index<Cue> for Cues {
    type Output = f64;

    fn index(&self, cue: Cue) -> &f64 {
        &self.0[cue as usize]
    }
}

impl IndexMut<Cue> for Cues {
    fn index_mut(&mut self, cue: Cue) -> &mut f64 {
        &mut self.0[cue as usize]
    }
}
