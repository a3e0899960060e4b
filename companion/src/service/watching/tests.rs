use super::*;

fn look(crawl: i64, page: u8, time: i64) -> LookRow {
    LookRow {
        crawl,
        is_round: crawl > 1,
        address: format!("http://a.test/{page}"),
        from: None,
        time,
        came: true,
        is_target: false,
    }
}

#[test]
fn what_requests_tell_of_pages() {
    let from = |page: u8, mut look: LookRow| {
        look.from = Some(format!("http://a.test/{page}"));
        look.is_target = true;
        look
    };
    let unchanged = LookRow {
        came: false,
        ..look(2, 1, 300)
    };
    let looks = [
        look(1, 1, 100),
        from(1, look(1, 2, 110)),
        from(1, look(1, 3, 120)),
        unchanged,
        look(3, 1, 500),
        from(1, look(3, 4, 510)),
        from(9, look(3, 5, 520)),
    ];
    let pages = watched(&looks);
    assert_eq!(pages.len(), 5);
    let first = Watched {
        last: 500,
        span: 400,
        looks: 2,
        changes: 1,
        news: 1,
        led_to: 2,
        ..pages[0].clone()
    };
    assert_eq!(pages[0], first);
    assert_eq!(pages[1], Watched::new(pages[1].address.clone(), 110, 0));
}
