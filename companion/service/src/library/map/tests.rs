use super::*;

fn look(page: usize, from: Option<usize>, is_target: bool) -> LookRow {
    let address = |page: usize| format!("http://a.test/{page:02}");
    LookRow {
        crawl: 1,
        is_recrawl: false,
        address: address(page),
        from: from.map(address),
        time: page as i64,
        came: true,
        is_target,
    }
}

/// Two groups of five pages: each group has words of its own, besides one that all have.
fn words() -> HashMap<String, Words> {
    let page = |page: usize| {
        let group = if page < 5 { 10 } else { 20 };
        let words = vec![
            (1, 9.0),
            (group, 3.0),
            (group + 1, 2.0),
            (100 + page as u32, 1.0),
        ];
        (look(page, None, false).address, words)
    };
    (0..10).map(page).collect()
}

#[test]
fn pages_that_say_much_the_same_are_a_group_with_their_words() {
    let looks: Vec<LookRow> = (0..10).map(|page| look(page, None, page == 3)).collect();
    let map = draw(&looks, &words());
    assert_eq!(map.pages.len(), 10);
    let group = |page: usize| map.pages[page].group;
    assert!((1..5).all(|page| group(page) == group(0) && group(0).is_some()));
    assert!((6..10).all(|page| group(page) == group(5) && group(5) != group(0)));
    let named = named_groups(&map.pages, &words());
    let first = &named[group(0).unwrap()];
    assert!(
        first.contains(&10) && !first.contains(&20) && !first.contains(&1),
        "{named:?}"
    );
    let far = |a: usize, b: usize| {
        let [a, b] = [a, b].map(|page| map.pages[page].place);
        (a[0] - b[0]).hypot(a[1] - b[1])
    };
    assert!(far(0, 1) < far(0, 6), "{map:?}");
    assert!(map.pages[3].is_find);
}

#[test]
fn finds_and_their_ways_come_first_and_a_way_in_a_circle_ends() {
    let mut looks: Vec<LookRow> = (0..6).map(|page| look(page, None, false)).collect();
    looks[5] = look(5, Some(0), true);
    looks[0] = look(0, Some(5), false);
    let map = draw(&looks, &HashMap::new());
    assert_eq!(map.pages[5].from, Some(0));
    assert_eq!(map.pages[0].from, Some(5));
    let few: Vec<String> = chosen(&looks, 2)
        .into_iter()
        .map(|page| page.address)
        .collect();
    assert_eq!(few, ["http://a.test/00", "http://a.test/05"]);
    let more = chosen(&looks, 3);
    assert_eq!(
        more[1].address, "http://a.test/04",
        "the newest of the others"
    );
    assert!(draw(&[], &HashMap::new()).pages.is_empty());
    let same = [look(1, Some(1), true)];
    assert_eq!(draw(&same, &HashMap::new()).pages[0].from, None);
}
