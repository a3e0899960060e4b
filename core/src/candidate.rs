//! Links that wait to be followed, as plain data: a candidate can be stored,
//! sent, scored again and explained without its page.

use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::address::Address;
use crate::codec;
use crate::dom::DomOffset;
use crate::features::LinkContext;
use crate::web_graph::Relevance;

/// A link that was seen and not followed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Where it leads.
    pub target: Address,
    /// What the link says, as people read it.
    pub anchor: Box<str>,
    /// The words in and around it.
    pub context: LinkContext,
    /// The pages on the way to it; the newest is the page it stands on. Empty
    /// for a seed.
    pub trail: Trail,
    /// Uniform in 0..1, drawn when it was seen: orders what is else equal.
    pub tie: f32,
    /// The links next to it; read only for a strategy that asks, and not
    /// stored.
    pub neighbours: Box<[Neighbour]>,
}

/// A link that stands near another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Neighbour {
    /// Where it leads.
    pub target: Address,
    /// Where it stands, seen from the other one.
    pub offset: DomOffset,
}

impl Candidate {
    /// A start: no link led there.
    pub fn seed(target: Address) -> Self {
        Self {
            target,
            anchor: "".into(),
            context: LinkContext::default(),
            trail: Trail::default(),
            tie: 0.0,
            neighbours: Box::default(),
        }
    }

    /// The page the link stands on; none for a seed.
    pub fn source(&self) -> Option<&Address> {
        self.trail.newest().map(|step| &step.address)
    }
}

/// One page on the way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The page.
    pub address: Address,
    /// How it was judged when it was passed; holds where the page is forgotten.
    pub relevance: Relevance,
}

/// The pages passed on the way to a link, newest first. All links of a page
/// share it.
#[derive(Debug, Clone, Default)]
pub struct Trail(Option<Arc<Node>>);

#[derive(Debug)]
struct Node {
    step: Step,
    length: u32,
    before: Trail,
}

impl Trail {
    /// This trail with one more page.
    #[must_use]
    pub fn then(&self, step: Step) -> Self {
        Self(Some(Arc::new(Node {
            step,
            length: self.len() + 1,
            before: self.clone(),
        })))
    }

    /// The same with only the newest steps.
    #[must_use]
    pub fn newest_steps(&self, most: usize) -> Self {
        if self.len() as usize <= most {
            return self.clone();
        }
        let mut steps: Vec<Step> = self.steps().take(most).cloned().collect();
        steps.reverse();
        Self::from_oldest(steps)
    }

    /// From steps, oldest first.
    pub fn from_oldest(steps: impl IntoIterator<Item = Step>) -> Self {
        steps
            .into_iter()
            .fold(Self::default(), |trail, step| trail.then(step))
    }

    /// The last page passed.
    pub fn newest(&self) -> Option<&Step> {
        self.0.as_ref().map(|node| &node.step)
    }

    /// Number of pages passed: the number of clicks from the seed.
    pub fn len(&self) -> u32 {
        self.0.as_ref().map_or(0, |node| node.length)
    }

    /// Whether nothing was passed: a seed.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The pages passed, newest first.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        let mut at = self;
        std::iter::from_fn(move || {
            let node = at.0.as_ref()?;
            at = &node.before;
            Some(&node.step)
        })
    }
}

/// Links share their ways: each step is written once, see [`codec::Saver`].
impl Serialize for Trail {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (mut new, mut at, mut known) = (Vec::new(), self, None);
        while let Some(node) = &at.0 {
            known = codec::number_of(node);
            if known.is_some() {
                break;
            }
            new.push(&node.step);
            at = &node.before;
        }
        (known, new).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Trail {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (known, new): (Option<u32>, Vec<Step>) = Deserialize::deserialize(from)?;
        let mut trail = match known {
            Some(number) => Self(Some(codec::node(number).ok_or_else(|| {
                D::Error::custom("a page on the way is called known that is not")
            })?)),
            None => Self::default(),
        };
        let mut nodes = Vec::with_capacity(new.len());
        for step in new.into_iter().rev() {
            trail = trail.then(step);
            nodes.extend(trail.0.clone());
        }
        // They were numbered from the newest on.
        nodes.iter().rev().for_each(codec::note);
        Ok(trail)
    }
}

impl PartialEq for Trail {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.steps().eq(other.steps())
    }
}

impl Drop for Node {
    /// Takes a long trail apart without recursion.
    fn drop(&mut self) {
        let mut next = self.before.0.take();
        while let Some(mut node) = next.and_then(Arc::into_inner) {
            next = node.before.0.take();
        }
    }
}

#[cfg(test)]
mod trail_tests {
    use super::*;

    #[test]
    fn a_trail_is_read_backwards_and_may_be_endless() {
        let step = |n: usize| Step {
            address: Address::parse(&format!("http://a.org/{n}")).unwrap(),
            relevance: Relevance::new(0.5),
        };
        let trail = Trail::from_oldest((0..100_000).map(step));
        assert_eq!(trail.len(), 100_000);
        assert_eq!(trail.newest(), Some(&step(99_999)));
        assert_eq!(trail.steps().nth(1), Some(&step(99_998)));
        drop(trail);
    }
}
