use super::*;

fn web() -> EvalWeb {
    let page = |n: u32| {
        let kind = if n.is_multiple_of(3) {
            "Bees and honey"
        } else {
            "Trains"
        };
        (
            format!("http://a.test/{n}"),
            format!("<title>{kind} {n}</title><p>{kind} {kind}"),
        )
    };
    EvalWeb::from_pages((0..40).map(page)).unwrap()
}

fn topic(text: &str) -> Result<Topic> {
    let file: TopicFile = toml::from_str(text)?;
    file.on(&web(), Path::new("."), 1)
}

#[test]
fn examples_and_keywords_make_a_topic() {
    let by_name = "name = 'x'\nexamples = ['http://a.test/3', 'http://a.test/6']";
    let made = topic(by_name).unwrap();
    assert_eq!(made.examples().collect::<Vec<_>>(), [3, 6]);
    assert_eq!(made.starts("examples").unwrap(), [3, 6]);
    assert!(made.labels[9].log_odds > made.labels[10].log_odds);
    let by_word = topic("name = 'x'\nkeywords = ['Bees']\nheld_out = ['http://a.test/1']").unwrap();
    assert_eq!(by_word.examples().count(), 14);
    assert_eq!(by_word.labels[1].example, Some(false));
}

#[test]
fn nodes_of_a_taxonomy_make_a_topic() {
    let class = |name: &str, pages: &mut dyn Iterator<Item = u32>| {
        let pages: Vec<String> = pages.map(|n| format!("'http://a.test/{n}'")).collect();
        format!(
            "[[class]]\nname = '{name}'\npages = [{}]\n",
            pages.join(",")
        )
    };
    let classes = [
        class("Top/Bees/Wild", &mut (0..16).step_by(3)),
        class("Top/Bees/Honey", &mut (18..34).step_by(3)),
        class("Top/Trains", &mut (1..20).step_by(3)),
    ]
    .concat();
    let made = topic(&format!("name = 'x'\nfocus = ['Top/Bees']\n{classes}")).unwrap();
    assert_eq!(made.examples().count(), 12);
    let names = made.classes.as_ref().unwrap().names.clone();
    assert_eq!(names, ["Top/Bees/Wild", "Top/Bees/Honey", "Top/Trains"]);
    assert!(made.labels[36].is_relevant() && !made.labels[37].is_relevant());
    let nowhere = topic(&format!("name = 'x'\nfocus = ['Top/Be']\n{classes}")).unwrap_err();
    assert!(nowhere.to_string().contains("Top/Bees/Wild"), "{nowhere}");
}

#[test]
fn a_predicate_makes_a_topic() {
    let made = topic("name = 'x'\npredicate = 'title has \"bees\" and not url glob \"*9\"'");
    let made = made.unwrap();
    let relevant = made
        .labels
        .iter()
        .filter(|label| label.is_relevant())
        .count();
    assert_eq!(relevant, 12, "of 14 pages on bees 9 and 39 are left out");
    assert_eq!(made.examples().count(), 3);
    let error = topic("name = 'x'\npredicate = 'titel has \"bees\"'").unwrap_err();
    assert!(
        format!("{error:#}").contains("character 1: “titel” is unknown"),
        "{error:#}"
    );
    let nowhere = topic("name = 'x'\npredicate = 'links > 900'").unwrap_err();
    assert!(
        nowhere.to_string().contains("holds of no page"),
        "{nowhere}"
    );
}

/// Forms on every page: on every fifth they ask for flights, on others for books; the last
/// page has none.
fn web_of_forms() -> EvalWeb {
    let page = |n: u32| {
        let (action, words) = if n.is_multiple_of(5) {
            ("fly", "departure airport passengers")
        } else {
            ("read", "author title publisher")
        };
        let form = format!(
            "<form action='/{action}' class=search>{words} <input name=q><button>Search</form>"
        );
        let body = if n == 39 { "nothing".to_owned() } else { form };
        let address = format!("http://site{n}.test/");
        (address, format!("<p>page {n}</p>{body}"))
    };
    EvalWeb::from_pages((0..40).map(page)).unwrap()
}

#[test]
fn forms_of_a_domain_make_a_topic() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let air = "name = 'air'\n[forms]\nlike = ['http://site0.test/', 'http://site5.test/']\n\
               unlike = ['http://site1.test/']";
    std::fs::write(folder.path().join("air.toml"), air)?;
    let on = |text: &str| -> Result<Topic> {
        let file: TopicFile = toml::from_str(text)?;
        file.on(&web_of_forms(), folder.path(), 1)
    };
    let relevant = |topic: &Topic| -> Vec<u32> {
        let numbered = topic.labels.iter().zip(0..);
        let relevant = numbered.filter(|(label, _)| label.is_relevant());
        relevant.map(|row| row.1).collect()
    };
    let flights: Vec<u32> = (0..40).step_by(5).collect();
    let by_forms = on(air)?;
    assert_eq!(relevant(&by_forms), flights);
    assert_eq!(by_forms.examples().collect::<Vec<_>>(), [0, 5]);
    let about = on("name = 'x'\n[forms]\nabout = 'air'")?;
    assert_eq!(relevant(&about), flights);
    let joined = "name = 'x'\npredicate = 'form about \"air\" and not host has \"site10\"'";
    assert_eq!(relevant(&on(joined)?).len(), flights.len() - 1);
    let any = on("name = 'x'\n[forms]")?;
    assert_eq!(relevant(&any).len(), 39, "all search forms");
    for (wrong, said) in [
        ("like = ['http://site39.test/']", "holds no searchable form"),
        ("like = ['http://nowhere.test/']", "http://nowhere.test/"),
        ("unlike = ['http://site1.test/']", "like"),
        ("kind = 'login'\nabout = 'air'", "search"),
        ("kind = 'lookup'", "lookup"),
        ("about = 'air'\nlike = ['http://site0.test/']", "not both"),
        ("about = 'nobody'", "nobody.toml"),
    ] {
        let error = on(&format!("name = 'x'\n[forms]\n{wrong}")).unwrap_err();
        assert!(format!("{error:#}").contains(said), "{wrong}: {error:#}");
    }
    let marked = on("name = 'x'\npredicate = 'form wanted'").unwrap_err();
    assert!(marked.to_string().contains("form about"), "{marked}");
    Ok(())
}

#[test]
fn what_is_wrong_is_named() {
    let missing = topic("name = 'x'\nexamples = ['http://b.test/']").unwrap_err();
    assert!(missing.to_string().contains("http://b.test/"), "{missing}");
    let nothing = topic("name = 'x'").unwrap_err();
    assert!(nothing.to_string().contains("keywords"), "{nothing}");
    let unknown = topic("name = 'x'\nexample = []").unwrap_err();
    assert!(unknown.to_string().contains("example"), "{unknown}");
}
