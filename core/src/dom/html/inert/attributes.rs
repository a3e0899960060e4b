//! Attributes that a rebuilt page keeps.

use url::Url;

use super::super::tree::Element;
use super::escape;
use super::styles::inert_declarations;

/// Attributes kept of every element.
const GLOBAL: [&str; 8] = [
    "align", "class", "dir", "hidden", "id", "lang", "title", "valign",
];

/// Attributes kept of one element.
const OF_ELEMENT: [(&str, &[&str]); 17] = [
    ("a", &["name"]),
    ("bdo", &["dir"]),
    ("col", &["span", "width"]),
    ("colgroup", &["span", "width"]),
    ("del", &["datetime"]),
    ("details", &["open"]),
    ("font", &["color", "face", "size"]),
    ("img", &["alt", "height", "width"]),
    ("ins", &["datetime"]),
    ("li", &["value"]),
    ("ol", &["reversed", "start", "type"]),
    ("table", &["border", "cellpadding", "cellspacing", "width"]),
    ("td", CELL),
    ("th", CELL),
    ("time", &["datetime"]),
    ("tr", &["bgcolor"]),
    ("ul", &["type"]),
];
const CELL: &[&str] = &[
    "abbr", "bgcolor", "colspan", "headers", "nowrap", "rowspan", "scope", "width",
];

/// Images that a page can carry within itself and that refer to nothing else.
const PICTURES: [&str; 4] = [
    "data:image/png;base64,",
    "data:image/jpeg;base64,",
    "data:image/gif;base64,",
    "data:image/webp;base64,",
];

/// Writes the attributes of an element that are allowed for `name`.
pub(super) fn write_attributes(
    element: &Element,
    name: &str,
    base: Option<&Url>,
    out: &mut String,
) {
    let own = OF_ELEMENT.iter().find(|(of, _)| *of == name);
    let own = own.map_or(&[][..], |(_, attributes)| attributes);
    for (attribute, value) in element.plain_attributes() {
        if GLOBAL.contains(&attribute) || own.contains(&attribute) {
            write(attribute, value, out);
        } else if attribute == "style" {
            let style = inert_declarations(value);
            if !style.is_empty() {
                write(attribute, &style, out);
            }
        } else if attribute == "src" && name == "img" && is_picture(value) {
            write(attribute, value, out);
        } else if attribute == "href"
            && name == "a"
            && let Some(target) = target(value, base)
        {
            write(attribute, &target, out);
            write("rel", "noopener noreferrer", out);
        }
    }
}

fn write(attribute: &str, value: &str, out: &mut String) {
    out.push(' ');
    out.push_str(attribute);
    out.push_str("=\"");
    escape(value, out);
    out.push('"');
}

fn is_picture(value: &str) -> bool {
    let is_plain = |sign: u8| sign.is_ascii_alphanumeric() || b"+/=".contains(&sign);
    PICTURES.iter().any(|start| {
        let begins = value.get(..start.len());
        begins.is_some_and(|begins| begins.eq_ignore_ascii_case(start))
            && value[start.len()..].bytes().all(is_plain)
    })
}

/// Where a link leads: into the page itself, or to another page of the web.
fn target(href: &str, base: Option<&Url>) -> Option<String> {
    let href = href.trim_ascii();
    if href.starts_with('#') {
        return Some(href.to_owned());
    }
    let url = match base {
        Some(base) => base.join(href),
        None => Url::parse(href),
    };
    let url = url.ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}
