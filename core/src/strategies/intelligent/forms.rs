//! The forms of intelligent crawling that can be chosen: which factors count, and what
//! several links to one page come to.

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
    /// None of them.
    pub const NONE: Self = Self {
        content: 0.0,
        url: 0.0,
        link: 0.0,
        sibling: 0.0,
    };
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
