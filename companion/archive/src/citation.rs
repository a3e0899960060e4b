//! What a page says of itself for those who cite it: meta elements (`citation_*` as scholars'
//! search engines read them, Dublin Core, Open Graph), JSON-LD, and `COinS` (Z39.88 in a span) where a
//! page has it of one work; a page with several cites others.

use html5gum::{DefaultEmitter, Token, Tokenizer};
use linkscent_core::text::{fold_space, shorten};
use serde::Serialize;
use serde_json::Value;

/// Authors that are read of one page.
const MOST_AUTHORS: usize = 50;
/// Characters of one value.
const LONGEST: usize = 1_000;
/// Bytes of a page that are looked at: all of this stands at its beginning.
const WINDOW: usize = 512 << 10;
/// Bytes of one piece of JSON-LD.
const LARGEST_JSON: usize = 64 << 10;

/// See the module. What is not said is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Citation {
    /// Who wrote it, as written: `Family, Given` or otherwise.
    pub authors: Vec<String>,
    /// When, as written.
    pub date: String,
    /// The journal it is an article of.
    pub journal: String,
    /// What the site calls itself.
    pub site: String,
    /// Who published it.
    pub publisher: String,
    /// Its DOI.
    pub doi: String,
    /// What it is about.
    pub description: String,
}

impl Citation {
    /// Reads the beginning of a page.
    pub fn of(html: &str) -> Self {
        let mut end = html.len().min(WINDOW);
        while !html.is_char_boundary(end) {
            end -= 1;
        }
        let mut found = Self::default();
        let mut json: Option<String> = None;
        let mut coins: Vec<String> = Vec::new();
        let mut emitter = DefaultEmitter::default();
        // What stands in scripts is no markup.
        emitter.naively_switch_states(true);
        for token in Tokenizer::new_with_emitter(&html[..end], emitter).flatten() {
            match token {
                Token::StartTag(tag) if *tag.name == *b"meta" => {
                    let value = |names: &[&[u8]]| {
                        let value = names.iter().find_map(|name| tag.attributes.get(*name));
                        value.map(|value| String::from_utf8_lossy(value).into_owned())
                    };
                    let name = value(&[b"name", b"property", b"itemprop"]);
                    if let (Some(name), Some(content)) = (name, value(&[b"content"])) {
                        found.take(&name.to_ascii_lowercase(), &content);
                    }
                }
                Token::StartTag(tag) if *tag.name == *b"span" && coins.len() < 2 => {
                    let value = |name: &[u8]| {
                        let value = tag.attributes.get(name);
                        value.map(|value| String::from_utf8_lossy(value).into_owned())
                    };
                    let classes = value(b"class").unwrap_or_default();
                    if classes.split_ascii_whitespace().any(|one| one == "Z3988") {
                        coins.extend(value(b"title"));
                    }
                }
                Token::StartTag(tag) if *tag.name == *b"script" => {
                    let kind = tag.attributes.get(&b"type"[..]);
                    let is_json = kind.is_some_and(|kind| ***kind == *b"application/ld+json");
                    json = is_json.then(String::new);
                }
                Token::String(text) => {
                    if let Some(json) = json.as_mut().filter(|json| json.len() < LARGEST_JSON) {
                        json.push_str(&String::from_utf8_lossy(&text));
                    }
                }
                Token::EndTag(tag) if *tag.name == *b"script" => {
                    let value = json.take().map(|json| serde_json::from_str::<Value>(&json));
                    if let Some(Ok(value)) = value {
                        found.take_json(&value, 0);
                    }
                }
                _ => {}
            }
        }
        if let [one] = coins.as_slice() {
            found.take_coins(one);
        }
        found
    }

    /// Takes the fields of a context object.
    fn take_coins(&mut self, fields: &str) {
        let has_authors = !self.authors.is_empty();
        let (mut family, mut given) = (String::new(), String::new());
        for (name, value) in form_urlencoded::parse(fields.as_bytes()) {
            match &*name {
                "rft.au" | "rft.creator" if !has_authors => self.take("dc.creator", &value),
                "rft.aulast" => family = value.into_owned(),
                "rft.aufirst" => given = value.into_owned(),
                "rft.date" => self.take("date", &value),
                "rft.jtitle" => self.take("citation_journal_title", &value),
                "rft.pub" | "rft.publisher" => self.take("dc.publisher", &value),
                "rft_id" => {
                    if let Some(doi) = value.strip_prefix("info:doi/") {
                        self.take("citation_doi", doi);
                    }
                }
                _ => {}
            }
        }
        if self.authors.is_empty() && !family.is_empty() {
            let parts = [family, given];
            let parts = parts.iter().filter(|part| !part.is_empty());
            let parts: Vec<&str> = parts.map(String::as_str).collect();
            self.take("dc.creator", &parts.join(", "));
        }
    }

    /// Takes a meta element. What was said first counts.
    fn take(&mut self, name: &str, content: &str) {
        let content = shorten(&fold_space(content), LONGEST);
        let field = match name {
            "citation_author" | "dc.creator" | "dcterms.creator" | "author" => {
                let is_new = !self.authors.contains(&content) && !content.is_empty();
                // “author” names all at once; the others one each.
                let is_whole = name == "author" && !self.authors.is_empty();
                if is_new && !is_whole && self.authors.len() < MOST_AUTHORS {
                    self.authors.push(content);
                }
                return;
            }
            "citation_publication_date"
            | "citation_date"
            | "dc.date"
            | "dcterms.issued"
            | "article:published_time"
            | "datepublished"
            | "date" => &mut self.date,
            "citation_journal_title" => &mut self.journal,
            "og:site_name" | "application-name" => &mut self.site,
            "citation_publisher" | "dc.publisher" => &mut self.publisher,
            "citation_doi" => &mut self.doi,
            "citation_abstract" | "description" | "og:description" | "dc.description" => {
                &mut self.description
            }
            _ => return,
        };
        if field.is_empty() {
            *field = content;
        }
    }

    /// Takes what JSON-LD says, some steps deep.
    fn take_json(&mut self, value: &Value, depth: usize) {
        if depth > 4 {
            return;
        }
        match value {
            Value::Array(values) => {
                for value in values.iter().take(MOST_AUTHORS) {
                    self.take_json(value, depth + 1);
                }
            }
            Value::Object(object) => {
                if let Some(graph) = object.get("@graph") {
                    self.take_json(graph, depth + 1);
                }
                if let Some(date) = object.get("datePublished").and_then(Value::as_str) {
                    self.take("datepublished", date);
                }
                if let Some(author) = object.get("author") {
                    for name in names(author).into_iter().take(MOST_AUTHORS) {
                        self.take("dc.creator", &name);
                    }
                }
                let publisher = object.get("publisher").map(names).unwrap_or_default();
                if let Some(publisher) = publisher.first() {
                    self.take("dc.publisher", publisher);
                }
            }
            _ => {}
        }
    }
}

/// The names of people or organisations.
fn names(value: &Value) -> Vec<String> {
    match value {
        Value::String(name) => vec![name.clone()],
        Value::Array(values) => values.iter().flat_map(names).collect(),
        Value::Object(object) => object.get("name").map(names).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// A day, or as much of it as is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date {
    /// The year.
    pub year: u16,
    /// From 1.
    pub month: Option<u8>,
    /// From 1.
    pub day: Option<u8>,
}

impl Date {
    /// Of what begins as `2026-01-02`, `2026/1/2`, `2026-01` or `2026`.
    pub fn read(text: &str) -> Option<Self> {
        let end = text.find(['T', ' ']).unwrap_or(text.len());
        let mut parts = text[..end].split(['-', '/', '.']);
        let year = parts.next()?;
        let is_year = year.len() == 4 && year.bytes().all(|digit| digit.is_ascii_digit());
        let year = year.parse().ok().filter(|_| is_year)?;
        let mut next = |most: u8| {
            let number: Option<u8> = parts.next()?.parse().ok();
            number.filter(|number| (1..=most).contains(number))
        };
        let month = next(12);
        let day = month.and_then(|_| next(31));
        Some(Self { year, month, day })
    }

    /// Its parts as numbers.
    pub fn parts(self) -> Vec<u16> {
        let rest = [self.month, self.day]
            .into_iter()
            .map_while(|part| part.map(u16::from));
        [self.year].into_iter().chain(rest).collect()
    }

    /// As `2026-01-02`, `2026-01` or `2026`.
    pub fn with_dashes(self) -> String {
        let rest = [self.month, self.day].into_iter().map_while(|part| part);
        let rest: String = rest.map(|part| format!("-{part:02}")).collect();
        format!("{}{rest}", self.year)
    }

    /// As RIS has it: `2026/01/02/`.
    pub fn with_slashes(self) -> String {
        let part = |part: Option<u8>| part.map_or(String::new(), |part| format!("{part:02}"));
        format!("{}/{}/{}/", self.year, part(self.month), part(self.day))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meta_elements_and_json_are_read() {
        let html = r#"<title>x</title><meta name="citation_author" content="Lovelace, Ada">
            <meta name="citation_author" content="Babbage,  Charles"><meta name="author" content="Somebody">
            <META NAME="Citation_Journal_Title" CONTENT="Memoirs"><meta name=citation_doi content="10.1/x">
            <meta property="og:site_name" content="Engines"><meta name="description" content="Notes">
            <script>var x = "<meta name=citation_publisher content=no>";</script>
            <script type="application/ld+json">{"@graph": [{"datePublished": "1843-09-01",
            "author": {"name": "Lovelace, Ada"}, "publisher": {"name": "Taylor"}}]}</script>
            <script type="application/ld+json">{broken</script>"#;
        let found = Citation::of(html);
        assert_eq!(found.authors, ["Lovelace, Ada", "Babbage, Charles"]);
        assert_eq!(found.date, "1843-09-01");
        assert_eq!((&*found.journal, &*found.doi), ("Memoirs", "10.1/x"));
        assert_eq!((&*found.site, &*found.publisher), ("Engines", "Taylor"));
        assert_eq!(found.description, "Notes");
        assert_eq!(Citation::of(""), Citation::default());
        let many = "<meta name=citation_author content=a1>".repeat(3)
            + &(0..200)
                .map(|n| format!("<meta name=citation_author content=b{n}>"))
                .collect::<String>();
        assert_eq!(Citation::of(&many).authors.len(), MOST_AUTHORS);
    }

    #[test]
    fn coins_of_one_work_are_read_and_of_several_are_not() {
        let one = "<span class='x Z3988' title='ctx_ver=Z39.88-2004&amp;rft.jtitle=Bee+World&amp;\
                   rft.au=Huber%2C%20F.&amp;rft.au=Burnens%2C%20F.&amp;rft.date=1814&amp;\
                   rft.pub=Paschoud&amp;rft_id=info%3Adoi%2F10.1%2Fbee&amp;rft_id=http://a.test/'></span>";
        let found = Citation::of(one);
        assert_eq!(found.authors, ["Huber, F.", "Burnens, F."]);
        assert_eq!((&*found.journal, &*found.date), ("Bee World", "1814"));
        assert_eq!((&*found.publisher, &*found.doi), ("Paschoud", "10.1/bee"));
        let named = "<span class=Z3988 title='rft.aulast=Huber&amp;rft.aufirst=Fran%C3%A7ois'>";
        assert_eq!(Citation::of(named).authors, ["Huber, François"]);
        let said = format!("<meta name=citation_author content=Swammerdam>{one}");
        assert_eq!(Citation::of(&said).authors, ["Swammerdam"]);
        assert_eq!(Citation::of(&one.repeat(2)), Citation::default());
        assert_eq!(Citation::of("<span class=Z3988>"), Citation::default());
    }

    #[test]
    fn dates_are_read_as_far_as_they_are_said() {
        let read = |text| Date::read(text).map(Date::with_dashes);
        assert_eq!(read("2026-01-02T03:04:05Z").as_deref(), Some("2026-01-02"));
        assert_eq!(read("2026/1/2").as_deref(), Some("2026-01-02"));
        assert_eq!(read("2026-13").as_deref(), Some("2026"));
        assert_eq!(read("1843").as_deref(), Some("1843"));
        assert_eq!(read("Sept. 1843"), None);
        assert_eq!(read(""), None);
        assert_eq!(Date::read("2026-01").unwrap().with_slashes(), "2026/01//");
        assert_eq!(Date::read("2026-01").unwrap().parts(), [2026, 1]);
    }
}
