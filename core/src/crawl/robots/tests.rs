use super::*;

#[test]
fn the_longest_rule_of_the_own_group_wins() {
    let text = b"User-agent: *\nDisallow: /\n\nUser-agent: linkscent\nUser-agent: other\n\
                 Disallow: /private\nAllow: /private/open\nDisallow: /*.php$\n";
    let robots = Robots::parse(text, "linkscent");
    let cases = [
        ("/", true),
        ("/private/x", false),
        ("/private/open/x", true),
        ("/a.php", false),
        ("/a.php?q", true),
    ];
    for (path, allowed) in cases {
        assert_eq!(robots.allows(path), allowed, "{path}");
    }
    assert!(!Robots::parse(text, "else").allows("/"));
}

#[test]
fn a_delay_is_of_the_group_and_sitemaps_are_of_the_host() {
    let text = b"Sitemap: http://a.test/one.xml\nUser-agent: *\nCrawl-delay: 7\nDisallow: /x\n\
                 User-agent: linkscent\nCrawl-Delay: 2.5\nDisallow: /y\nsitemap: /two.xml\n";
    let robots = Robots::parse(text, "linkscent");
    assert_eq!(robots.delay(), Some(2_500));
    assert_eq!(Robots::parse(text, "else").delay(), Some(7_000));
    let sitemaps: Vec<&str> = robots.sitemaps().collect();
    assert_eq!(sitemaps, ["http://a.test/one.xml", "/two.xml"]);
    assert!(!robots.allows("/y") && robots.allows("/x"));
    for (value, delay) in [
        ("x", None),
        ("-1", None),
        ("nan", None),
        ("inf", Some(3_600_000)),
        ("1e300", Some(3_600_000)),
        ("0", Some(0)),
    ] {
        let text = format!("User-agent: *\nCrawl-delay: {value}\n");
        assert_eq!(
            Robots::parse(text.as_bytes(), "x").delay(),
            delay,
            "{value}"
        );
    }
    let many = "Sitemap: http://a.test/s.xml\n".repeat(100);
    let robots = Robots::parse(many.as_bytes(), "x");
    assert_eq!(robots.sitemaps().count(), MOST_SITEMAPS);
    let long = format!("Sitemap: http://a.test/{}\n", "x".repeat(5_000));
    assert_eq!(Robots::parse(long.as_bytes(), "x").sitemaps().count(), 0);
}

#[test]
fn no_file_allows_and_no_answer_denies() {
    assert!(Robots::allow_all().allows("/x"));
    assert!(!Robots::deny_all("no answer").allows("/x"));
    assert!(Robots::parse(b"", "linkscent").allows("/"));
    assert!(Robots::parse(b"\xff\xfe\x00garbage", "linkscent").allows("/"));
}

#[test]
fn what_is_forbidden_by_an_escape_is_forbidden_plainly() {
    let robots = Robots::parse(b"User-agent: *\nDisallow: /%7Ejoe/%2F%zz\n", "linkscent");
    assert!(!robots.allows("/~joe/%2F%25zz"));
    assert!(!robots.allows("/%7Ejoe/%2F%zz"));
    assert!(robots.allows("/~joe//%25zz"));
}

#[test]
fn rules_take_little_space_or_forbid_everything() {
    let same = "Disallow:/%41\n".repeat(37_400);
    let robots = Robots::parse(format!("User-agent: *\n{same}").as_bytes(), "linkscent");
    assert!(robots.bytes() < 1_000, "{}", robots.bytes());
    assert_eq!(robots.check("/A"), Err(Denial::Rule));
    let all: String = (0..60_000).map(|n| format!("Allow:/{n}\n")).collect();
    let robots = Robots::parse(format!("User-agent: *\n{all}").as_bytes(), "linkscent");
    assert!(robots.bytes() < LARGEST_RULES && robots.allows("/1"));
    let wide: String = (0..4_000)
        .map(|n| format!("Allow:/{n}{}\n", "é".repeat(60)))
        .collect();
    let robots = Robots::parse(format!("User-agent: *\n{wide}").as_bytes(), "linkscent");
    assert!(robots.bytes() <= LARGEST_RULES);
}

#[test]
fn a_hostile_pattern_takes_linear_time() {
    let pattern = format!("/{}b", "*a".repeat(8_000));
    let path = format!("/{}", "a".repeat(100_000));
    let robots = format!("User-agent: *\nDisallow: {pattern}\n");
    let robots = Robots::parse(robots.as_bytes(), "linkscent");
    assert!(robots.allows(&path));
    // The search itself is linear; counted is what it is given.
    let mut searched = 0;
    let count = |text: &[u8], part: &[u8]| {
        let found = memchr::memmem::find(text, part);
        searched += found.map_or(text.len(), |at| at + part.len());
        found
    };
    assert!(!matches_by(path.as_bytes(), pattern.as_bytes(), count));
    assert!(searched <= path.len(), "{searched} bytes of {}", path.len());
}
