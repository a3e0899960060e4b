use super::*;

const ELSEWHERE: &str = "elsewhere.test";

fn rebuilt(html: &str) -> String {
    inert(html, "http://castles.test/towers/round")
}

/// Constructs by which a page makes a browser connect to a host, or sends something there.
const CONNECTING: [&str; 73] = [
    "<link rel=preconnect href=//elsewhere.test>",
    "<link rel=dns-prefetch href=//elsewhere.test>",
    "<link rel=prefetch href=//elsewhere.test/x>",
    "<link rel=prerender href=//elsewhere.test/x>",
    "<link rel=stylesheet href=//elsewhere.test/x>",
    "<link rel='alternate stylesheet' href=//elsewhere.test/x title=x>",
    "<link rel=icon href=//elsewhere.test/x>",
    "<link rel=manifest href=//elsewhere.test/x>",
    "<link rel=modulepreload href=//elsewhere.test/x>",
    "<link rel=preload as=font href=//elsewhere.test/x>",
    "<link rel=compression-dictionary href=//elsewhere.test/x>",
    "<link rel=preload as=image imagesrcset='//elsewhere.test/x 2x'>",
    "<link rel=anything-new href=//elsewhere.test/x>",
    "<meta http-equiv=refresh content='0; url=//elsewhere.test/x'>",
    "<meta http-equiv=link content='<//elsewhere.test>; rel=preconnect'>",
    "<meta http-equiv=content-security-policy content='report-uri //elsewhere.test'>",
    "<base href=//elsewhere.test/><img src=x>",
    "<iframe src=//elsewhere.test/x></iframe>",
    "<iframe srcdoc='<img src=//elsewhere.test/x>'></iframe>",
    "<frameset><frame src=//elsewhere.test/x></frameset>",
    "<fencedframe src=//elsewhere.test/x></fencedframe>",
    "<portal src=//elsewhere.test/x></portal>",
    "<object data=//elsewhere.test/x></object>",
    "<object codebase=//elsewhere.test classid=x></object>",
    "<embed src=//elsewhere.test/x>",
    "<applet archive=//elsewhere.test/x></applet>",
    "<img src=//elsewhere.test/x>",
    "<img srcset='//elsewhere.test/x 2x'>",
    "<img src='data:image/svg+xml,<svg><image href=//elsewhere.test/x>'>",
    "<img lowsrc=//elsewhere.test/x dynsrc=//elsewhere.test/x longdesc=//elsewhere.test/x>",
    "<img attributionsrc=//elsewhere.test/x>",
    "<image src=//elsewhere.test/x>",
    "<picture><source srcset=//elsewhere.test/x><img></picture>",
    "<video src=//elsewhere.test/x poster=//elsewhere.test/y></video>",
    "<video><source src=//elsewhere.test/x><track src=//elsewhere.test/y></video>",
    "<audio src=//elsewhere.test/x autoplay></audio>",
    "<bgsound src=//elsewhere.test/x>",
    "<input type=image src=//elsewhere.test/x>",
    "<form action=//elsewhere.test/x><button>Go</button></form>",
    "<button formaction=//elsewhere.test/x>Go</button>",
    "<isindex action=//elsewhere.test/x>",
    "<a ping=//elsewhere.test/x href=/towers>x</a>",
    "<a attributionsrc=//elsewhere.test/x href=/towers>x</a>",
    "<area ping=//elsewhere.test/x href=/towers>",
    "<body background=//elsewhere.test/x>",
    "<table background=//elsewhere.test/x><td background=//elsewhere.test/y>",
    "<blockquote cite=//elsewhere.test/x>x</blockquote>",
    "<html manifest=//elsewhere.test/x>",
    "<script src=//elsewhere.test/x></script>",
    "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"//elsewhere.test\"]}]}</script>",
    "<script>fetch('//elsewhere.test')</script>",
    "<img src=x onerror=\"fetch('//elsewhere.test')\">",
    "<noscript><img src=//elsewhere.test/x></noscript>",
    "<template shadowrootmode=open><img src=//elsewhere.test/x></template>",
    "<svg><image href=//elsewhere.test/x /></svg>",
    "<svg><image xlink:href=//elsewhere.test/x /></svg>",
    "<svg><use href=//elsewhere.test/x#a /></svg>",
    "<svg><feImage href=//elsewhere.test/x /></svg>",
    "<svg><script href=//elsewhere.test/x /></svg>",
    "<svg><style>@import '//elsewhere.test/x'</style></svg>",
    "<svg><a href=//elsewhere.test/x><animate attributeName=href to=//elsewhere.test/y /></a></svg>",
    "<svg><foreignObject><iframe src=//elsewhere.test/x></iframe></foreignObject></svg>",
    "<math href=//elsewhere.test/x><mi>x</mi></math>",
    "<math><annotation-xml encoding=text/html><img src=//elsewhere.test/x></annotation-xml></math>",
    "<style>@import url(//elsewhere.test/x);</style>",
    "<style>@import '//elsewhere.test/x';</style>",
    "<style>@font-face{font-family:x;src:url(//elsewhere.test/x)}</style>",
    "<style>p{background:URL(//elsewhere.test/x)}</style>",
    "<style>p{background:u\\72l(//elsewhere.test/x)}</style>",
    "<style>p{background:image-set('//elsewhere.test/x' 1x)}</style>",
    "<p style=\"color:red;background:url('//elsewhere.test/x')\">x",
    "<p style=\"background:\\75rl(//elsewhere.test/x)\">x",
    "<p style=\"list-style:-webkit-image-set('//elsewhere.test/x' 1x)\">x",
];

#[test]
fn a_rebuilt_page_names_no_host_but_in_links() {
    for case in CONNECTING {
        for html in [
            case.to_owned(),
            format!("<head>{case}</head><body>castle"),
            format!("<body><div><table><tr><td>{case}</table>"),
            format!("<!doctype html><title>x</title><p>castle<p>{case}</p>").to_uppercase(),
        ] {
            let shown = rebuilt(&html).to_lowercase();
            assert!(!shown.contains(ELSEWHERE), "{html}\n{shown}");
        }
    }
}

#[test]
fn rebuilding_again_changes_nothing() {
    for case in CONNECTING {
        let once = rebuilt(&format!("<!doctype html><div id=a>castle {case} tower"));
        assert_eq!(rebuilt(&once), once, "{case}");
    }
}

/// The names of all elements and attributes in a page.
fn names(html: &str) -> Vec<String> {
    let (tree, _) = tokens::build(html);
    let mut names = Vec::new();
    for node in tree.into_nodes() {
        if let NodeKind::Element(element) = node.kind {
            names.push(element.name.local.to_string());
            let attributes = element.plain_attributes();
            names.extend(attributes.map(|(name, _)| format!("@{name}")));
        }
    }
    names
}

#[test]
fn whatever_is_nested_only_allowed_elements_come_out() {
    let allowed = |name: &String| {
        KEPT.contains(&&**name) || ["html", "head", "meta", "title", "body"].contains(&&**name)
    };
    let elements = [
        "svg",
        "math",
        "mtext",
        "mglyph",
        "style",
        "title",
        "noscript",
        "xmp",
        "plaintext",
        "textarea",
        "template",
        "select",
        "option",
        "table",
        "a",
        "form",
        "annotation-xml",
        "desc",
        "foreignObject",
        "iframe",
        "noembed",
        "listing",
        "frameset",
        "object",
        "input",
    ];
    for outer in elements {
        for middle in elements {
            for inner in elements {
                let html = format!(
                    "<{outer}><{middle}><{inner}><!--</{inner}><img src=//elsewhere.test onerror=x \
                     title='</{middle}><link rel=preconnect href=//elsewhere.test>'>-->\
                     </{outer}><iframe src=//elsewhere.test></iframe>"
                );
                let shown = rebuilt(&html);
                let names = names(&shown);
                let elements = names.iter().filter(|name| !name.starts_with('@'));
                let other: Vec<_> = elements.filter(|name| !allowed(name)).collect();
                assert!(other.is_empty(), "{html}\n{shown}\n{other:?}");
                assert!(!names.iter().any(|name| name == "@src"), "{html}\n{shown}");
            }
        }
    }
}

#[test]
fn a_page_still_says_what_it_said() {
    let shown = rebuilt(
        "<html lang=de><head><title>Castles & towers</title><style>b{color:red}</style></head>\
         <body class=wide><h1 id=top onclick=x()>Castles</h1>\
         <form action=/find>Find <input value=x><button>Search</button></form>\
         <table><tr><td colspan=2 style='color:red;background:url(x)'>Moat</table>\
         <img alt='A tower' src=/tower.png><img src='data:image/png;base64,iVBOR+/='>\
         <p>a &lt;b&gt; &amp;amp; \"c\"<custom-part>Bridge</custom-part><svg><text>no</text></svg>",
    );
    let expected = "<!doctype html><html lang=\"de\"><head><meta charset=utf-8>\
         <title>Castles &amp; towers</title><style>b{color:red}</style></head>\
         <h1 id=\"top\">Castles</h1>Find Search\
         <table><tbody><tr><td colspan=\"2\" style=\"color:red\">Moat</td></tr></tbody></table>\
         <img alt=\"A tower\"><img src=\"data:image/png;base64,iVBOR+/=\">\
         <p>a &lt;b&gt; &amp;amp; &quot;c&quot;Bridge</p>";
    assert_eq!(shown, expected);
}

#[test]
fn links_lead_where_they_led() {
    let link = |href: &str| {
        let shown = rebuilt(&format!("<a href=\"{href}\">x</a>"));
        let (_, rest) = shown.split_once("<a")?;
        let (_, href) = rest.split_once("href=\"")?;
        Some(href.split_once('"')?.0.to_owned())
    };
    for (href, expected) in [
        ("/moat", Some("http://castles.test/moat")),
        ("square?a=1", Some("http://castles.test/towers/square?a=1")),
        ("https://other.test/", Some("https://other.test/")),
        ("#top", Some("#top")),
        ("javascript:alert(1)", None),
        ("java\tscript:alert(1)", None),
        ("data:text/html,x", None),
        ("blob:http://x/y", None),
        ("file:///etc/passwd", None),
    ] {
        assert_eq!(link(href).as_deref(), expected, "{href}");
    }
    let based = inert("<base href=/a/><a href=b>x</a>", "http://castles.test/c/d");
    assert!(based.contains("\"http://castles.test/a/b\""), "{based}");
}

#[test]
fn a_page_that_grows_by_its_repair_is_cut_off() {
    let base = format!("<base href='http://castles.test/{}/'>", "a".repeat(1_500));
    let html = base + &"<a href=x>x</a>".repeat(100_000);
    let shown = rebuilt(&html);
    assert!(shown.len() < MOST_BYTES + 10_000, "{}", shown.len());
    assert!(shown.ends_with("too large to show.</em></p>"));
}
