//! Popup, panel and welcome page: templates in their HTML, filled with what the background answers.

mod ask;
mod dry_run;
mod finds;
mod kept;
mod later;
mod panel;
mod popup;
mod proposals;
mod searching;
mod sites;
mod template;
mod topics;
mod trails;
mod way;
mod welcome;

use web_sys::Element;

use crate::js_values::Tools;
use crate::ports::BrowserError;

/// Fills the popup of a tab into `root`.
pub async fn popup(root: Element, tools: Tools, tab: i32) -> Result<(), BrowserError> {
    let screen = popup::Popup::new(root.clone(), tools, tab);
    shown(&root, screen.show().await)
}

/// Fills the panel into `root`.
pub async fn panel(root: Element, tools: Tools) -> Result<(), BrowserError> {
    let screen = panel::Panel::new(root.clone(), tools);
    shown(&root, screen.show().await)
}

/// Fills the welcome page of a tab into `root`.
pub async fn welcome(root: Element, tools: Tools, tab: i32) -> Result<(), BrowserError> {
    let screen = welcome::Welcome::new(root.clone(), tools, tab);
    shown(&root, screen.fill().await)
}

/// A screen that cannot be filled says why.
fn shown(root: &Element, filled: Result<(), BrowserError>) -> Result<(), BrowserError> {
    if let Err(error) = filled {
        template::show_error(root, &error)?;
        template::set_filled(root, true)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    fn between<'a>(text: &'a str, before: &str) -> BTreeSet<&'a str> {
        let found = text.split(before).skip(1);
        found.filter_map(|rest| rest.split('"').next()).collect()
    }

    /// What a screen's code names is in its page, and the other way round.
    fn fits(page: &str, code: &str) {
        let code = format!("{code}{}", include_str!("screens/template.rs"));
        let named = |befores: &[&str]| -> BTreeSet<&str> {
            let found = befores.iter().flat_map(|before| between(&code, before));
            found.collect()
        };
        let templates = named(&["part(\"", "Part::of(&self.root, \"", "Part::of(at, \""]);
        assert_eq!(templates, between(page, "data-template=\""));
        assert_eq!(
            named(&[".say(\"", ".link(\""]),
            between(page, "data-text=\"")
        );
        assert_eq!(named(&[".keep_if(\""]), between(page, "data-if=\""));
        let ids = between(page, " id=\"");
        let missing: Vec<&str> = named(&["\"#"]).difference(&ids).copied().collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn templates_and_code_name_the_same_places() {
        let popup = include_str!("../pages/popup.html");
        let code = [
            include_str!("screens/popup.rs"),
            include_str!("screens/popup/companion.rs"),
        ];
        fits(popup, &code.concat());
        let panel = include_str!("../pages/panel.html");
        let code = [
            include_str!("screens/panel.rs"),
            include_str!("screens/kept.rs"),
            include_str!("screens/later.rs"),
            include_str!("screens/finds.rs"),
            include_str!("screens/topics.rs"),
            include_str!("screens/trails.rs"),
            include_str!("screens/way.rs"),
            include_str!("screens/dry_run.rs"),
            include_str!("screens/sites.rs"),
            include_str!("screens/proposals.rs"),
            include_str!("screens/searching.rs"),
        ];
        fits(panel, &code.concat());
        let welcome = include_str!("../pages/welcome.html");
        fits(welcome, include_str!("screens/welcome.rs"));
    }
}
