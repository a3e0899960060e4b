//! ID tokens are held to what the standard asks for; the way there and back is tested with the server.

use serde_json::{Value, json};

use super::*;

fn provider(issuer: &str) -> Result<Provider, ProviderError> {
    let back = "https://links.example.org/sign-in/back".to_owned();
    Provider::new(issuer, "linkscent", "secret", back, None)
}

fn token(claims: &Value) -> String {
    let claims = URL_SAFE_NO_PAD.encode(claims.to_string());
    format!("e30.{claims}.c2lnbmVk")
}

/// What a token says that is fine but for one change.
fn claims(change: impl Fn(&mut Value)) -> Value {
    let mut claims = json!({
        "iss": "https://id.example.org/realms/news", "sub": "0815", "aud": "linkscent",
        "exp": clock::now() / 1_000 + 60, "iat": clock::now() / 1_000, "nonce": "nonce",
        "email": "ada@example.org", "email_verified": true, "groups": ["x"],
    });
    change(&mut claims);
    claims
}

#[test]
fn a_token_is_of_this_provider_for_this_program_and_this_browser() {
    let provider = provider("https://id.example.org/realms/news/").unwrap();
    let read = |change: &dyn Fn(&mut Value)| provider.read(&token(&claims(change)), "nonce");
    let ada = Person {
        subject: "https://id.example.org/realms/news 0815".to_owned(),
        email: Some("ada@example.org".to_owned()),
    };
    assert_eq!(read(&|_| ()), Ok(ada.clone()));
    assert_eq!(
        read(&|it| it["aud"] = json!(["linkscent"])),
        Ok(ada.clone())
    );
    let two = |it: &mut Value| {
        it["aud"] = json!(["other", "linkscent"]);
        it["azp"] = json!("linkscent");
    };
    assert_eq!(read(&two), Ok(ada.clone()));
    assert_eq!(read(&|it| it["email_verified"] = json!("true")), Ok(ada));
    for unverified in [
        json!(false),
        json!("false"),
        json!(null),
        json!(1),
        json!(["true"]),
    ] {
        let person = read(&|it| it["email_verified"] = unverified.clone());
        assert_eq!(person.unwrap().email, None, "{unverified}");
    }
    let party = "speaks to another program";
    let none = "answers with what is no ID token";
    for (field, value, problem) in [
        (
            "iss",
            json!("https://evil.example"),
            "speaks for another provider",
        ),
        (
            "iss",
            json!("https://id.example.org/realms/newsx"),
            "speaks for another provider",
        ),
        (
            "iss",
            json!("https://id.example.org/realms"),
            "speaks for another provider",
        ),
        ("iss", json!(""), "speaks for another provider"),
        ("aud", json!("other"), party),
        ("aud", json!(["other", "linkscent"]), party),
        ("aud", json!([]), party),
        ("azp", json!("other"), party),
        (
            "exp",
            json!(1_000),
            "says what has ended: does this machine's clock tell the right time?",
        ),
        ("nonce", json!("another"), "speaks of another sign-in"),
        ("nonce", json!(null), "speaks of another sign-in"),
        ("sub", json!(""), none),
        ("sub", json!("x".repeat(256)), none),
        ("sub", json!("a\nb"), none),
        ("sub", json!(null), none),
        ("aud", json!(null), none),
        ("exp", json!("soon"), none),
    ] {
        let person = read(&|it| it[field] = value.clone());
        assert_eq!(person, Err(problem), "{field}: {value}");
    }
    let fine = token(&claims(|_| ()));
    for broken in [
        "",
        "a",
        "..",
        &fine[..fine.len() - 9],
        &format!("{fine}.x"),
        "a.b.c",
        "a.e30.c",
    ] {
        assert_eq!(provider.read(broken, "nonce"), Err(none), "{broken}");
    }
}

#[test]
fn a_token_holds_now() {
    let provider = provider("https://id.example.org/realms/news/").unwrap();
    let now = clock::now() / 1_000;
    let read = |changes: &[(&str, Value)]| {
        let claims = claims(|it| {
            for (field, value) in changes {
                it[field] = value.clone();
            }
        });
        provider.read(&token(&claims), "nonce").map(drop)
    };
    // Clocks may differ by two minutes.
    for fine in [
        vec![("iat", json!(now + 60))],
        vec![("iat", json!(now - 500))],
        vec![("iat", json!(now as f64 + 0.5))],
        vec![("nbf", json!(now - 86_400))],
        vec![("nbf", json!(now + 60))],
        vec![("nbf", json!(null))],
        vec![("exp", json!(now - 60))],
    ] {
        assert_eq!(read(&fine), Ok(()), "{fine:?}");
    }
    let not_yet =
        Err("says what does not hold yet: does this machine's clock tell the right time?");
    let long_ago =
        Err("says what was issued long ago: does this machine's clock tell the right time?");
    let none = Err("answers with what is no ID token");
    for (wrong, why) in [
        (("iat", json!(1)), long_ago),
        (("iat", json!(now - 1_000)), long_ago),
        (("iat", json!(-1e308)), long_ago),
        (("iat", json!(now + 1_000)), not_yet),
        (("iat", json!(1e308)), not_yet),
        (("nbf", json!(now + 99_999)), not_yet),
        (("iat", json!(null)), none),
        (("iat", json!("now")), none),
        (("nbf", json!("now")), none),
    ] {
        assert_eq!(read(std::slice::from_ref(&wrong)), why, "{wrong:?}");
    }
}

#[test]
fn a_provider_is_reached_so_that_nobody_reads_along() {
    for fine in [
        "https://id.example.org",
        "http://127.0.0.1:8080/a",
        "http://[::1]:80",
        "http://localhost:1",
    ] {
        assert!(provider(fine).is_ok(), "{fine}");
    }
    for wrong in [
        "http://id.example.org",
        "http://127.0.0.1.evil.test",
        "ftp://127.0.0.1",
        "id",
        "",
    ] {
        assert!(
            matches!(provider(wrong), Err(ProviderError::Settings(_))),
            "{wrong}"
        );
    }
}

#[test]
fn who_was_sent_away_is_told_by_a_secret() {
    assert!(Provider::was_sent("kept", &of("state", "kept")));
    for (kept, state) in [
        ("kept", ""),
        ("kept", "kept"),
        ("other", &*of("state", "kept")),
    ] {
        assert!(!Provider::was_sent(kept, state), "{kept} {state}");
    }
    assert!(!Provider::was_sent("", &of("state", "")));
    assert_ne!(of("state", "kept"), of("nonce", "kept"));
    assert_ne!(of("verifier", "kept"), of("nonce", "kept"));
}
