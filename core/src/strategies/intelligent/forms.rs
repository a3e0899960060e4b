//! The forms of intelligent crawling that can be chosen: which factors count and by how much,
//! and what several links to one page come to.

use std::fmt;
use std::str::FromStr;

/// Factors weigh no more than this: their logarithms are added up.
const MOST_WEIGHT: f64 = 100.0;

/// How much each factor weighs; one of weight 0 is not looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factors {
    /// Words of the page with the link.
    pub content: f64,
    /// Tokens of the URL that the link points to.
    pub url: f64,
    /// Whether the page with the link is what is looked for.
    pub link: f64,
    /// How often the other links of that page led to what is looked for.
    pub sibling: f64,
}

impl Factors {
    /// All of them, with equal weights.
    pub const ALL: Self = Self {
        content: 1.0,
        url: 1.0,
        link: 1.0,
        sibling: 1.0,
    };
    /// The names of the factors, as weights are written.
    pub const NAMES: [&str; 4] = ["content", "url", "link", "sibling"];
    /// None of them.
    pub const NONE: Self = Self {
        content: 0.0,
        url: 0.0,
        link: 0.0,
        sibling: 0.0,
    };

    /// The weights in the order of [`Self::NAMES`].
    fn named(&mut self) -> [(&'static str, &mut f64); 4] {
        let [content, url, link, sibling] = Self::NAMES;
        [
            (content, &mut self.content),
            (url, &mut self.url),
            (link, &mut self.link),
            (sibling, &mut self.sibling),
        ]
    }
}

/// Weights that are none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// Something that is no `name=number`.
    #[error("“{0}” is no weight: write content=2,url=0.5, with the names {names}", names = Factors::NAMES.join(", "))]
    NotAWeight(String),
    /// Out of range.
    #[error("the weight of {0} is not between 0 and {MOST_WEIGHT}")]
    OutOfRange(String),
    /// Nothing counts.
    #[error("one of the factors must weigh something")]
    Nothing,
    /// A strategy without factors, or with one.
    #[error("“{0}” has no factors to be weighed: intelligent and intelligent-product have")]
    NoFactors(String),
}

/// `content=2,url=0.5`: a factor that is not named weighs 1.
impl FromStr for Factors {
    type Err = WeightsError;

    fn from_str(text: &str) -> Result<Self, WeightsError> {
        let mut factors = Self::ALL;
        for part in text.split(',').map(str::trim) {
            let none = || WeightsError::NotAWeight(part.to_owned());
            let (name, value) = part.split_once('=').ok_or_else(none)?;
            let value: f64 = value.trim().parse().map_err(|_| none())?;
            let mut named = factors.named().into_iter();
            let factor = named.find(|(own, _)| *own == name.trim());
            *factor.ok_or_else(none)?.1 = value;
            if !(0.0..=MOST_WEIGHT).contains(&value) {
                return Err(WeightsError::OutOfRange(name.trim().to_owned()));
            }
        }
        if factors == Self::NONE {
            return Err(WeightsError::Nothing);
        }
        Ok(factors)
    }
}

impl fmt::Display for Factors {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut own = *self;
        let parts = own.named().map(|(name, weight)| format!("{name}={weight}"));
        out.write_str(&parts.join(","))
    }
}

/// What is made of the evidence of several pages that link to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inlinks {
    /// Each link is judged by itself; a page is worth half its best link and half their
    /// mean, of the links that the frontier keeps.
    Each,
    /// The product of the ratios of all known inlinks, the sum of their logarithms, as \[B\]
    /// has it.
    Product,
}

/// A form of intelligent crawling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Form {
    /// Its name as a strategy.
    pub name: &'static str,
    /// What counts.
    pub factors: Factors,
    /// What several inlinks come to.
    pub inlinks: Inlinks,
}

impl Form {
    /// A strategy's form with these weights, such as `intelligent` with
    /// `content=2,url=0.5`.
    pub fn with_weights(strategy: &str, weights: &str) -> Result<Self, WeightsError> {
        let mut forms = [Self::ALL, Self::PRODUCT].into_iter();
        let form = forms.find(|form| form.name == strategy);
        let form = form.ok_or_else(|| WeightsError::NoFactors(strategy.to_owned()))?;
        Ok(Self {
            factors: weights.parse()?,
            ..form
        })
    }

    /// The form that a strategy's name with weights says, such as
    /// `intelligent:content=2,url=0.5`; `None` if it says none.
    pub fn weighted(name: &str) -> Option<Self> {
        let (strategy, weights) = name.split_once(':')?;
        Self::with_weights(strategy, weights).ok()
    }

    /// Its name, with the weights where they are chosen by hand.
    pub fn full_name(&self) -> String {
        let is_whole = self.name == Self::ALL.name || self.name == Self::PRODUCT.name;
        if is_whole && self.factors != Factors::ALL {
            return format!("{}:{}", self.name, self.factors);
        }
        self.name.to_owned()
    }

    /// All factors; what ships.
    pub const ALL: Self = Self {
        name: "intelligent",
        factors: Factors::ALL,
        inlinks: Inlinks::Each,
    };
    /// All factors over all inlinks.
    pub const PRODUCT: Self = Self {
        name: "intelligent-product",
        inlinks: Inlinks::Product,
        ..Self::ALL
    };
    /// Words alone.
    pub const CONTENT: Self = Self {
        name: "intelligent-content",
        factors: Factors {
            content: 1.0,
            ..Factors::NONE
        },
        ..Self::ALL
    };
    /// URL tokens alone.
    pub const URL: Self = Self {
        name: "intelligent-url",
        factors: Factors {
            url: 1.0,
            ..Factors::NONE
        },
        ..Self::ALL
    };
    /// Links alone.
    pub const LINK: Self = Self {
        name: "intelligent-link",
        factors: Factors {
            link: 1.0,
            ..Factors::NONE
        },
        ..Self::ALL
    };
    /// Siblings alone.
    pub const SIBLING: Self = Self {
        name: "intelligent-sibling",
        factors: Factors {
            sibling: 1.0,
            ..Factors::NONE
        },
        ..Self::ALL
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_and_written_and_what_is_none_is_named() {
        let form = Form::weighted("intelligent-product: content=2, url=0.5").unwrap();
        let factors = Factors {
            content: 2.0,
            url: 0.5,
            ..Factors::ALL
        };
        assert_eq!((form.name, form.factors), ("intelligent-product", factors));
        let name = form.full_name();
        assert_eq!(
            name,
            "intelligent-product:content=2,url=0.5,link=1,sibling=1"
        );
        assert_eq!(Form::weighted(&name), Some(form));
        assert_eq!(Form::SIBLING.full_name(), "intelligent-sibling");
        let wrong = |weights: &str| weights.parse::<Factors>().unwrap_err().to_string();
        for (weights, named) in [
            ("", "“”"),
            ("content", "“content”"),
            ("words=1", "“words=1”"),
            ("url=much", "“url=much”"),
            ("url=NaN", "weight of url"),
            ("url=1,link=-1", "weight of link"),
            ("url=101", "weight of url"),
            ("content=0,url=0,link=0,sibling=0", "must weigh something"),
        ] {
            assert!(wrong(weights).contains(named), "{}", wrong(weights));
        }
        let other = Form::with_weights("apprentice", "url=1").unwrap_err();
        assert!(other.to_string().contains("“apprentice”"), "{other}");
    }
}
