use super::*;
use crate::Services;
use crate::crawler::way::Way;
use linkscent_store::Store;

async fn service() -> (tempfile::TempDir, Services) {
    let folder = linkscent_store::fixtures::folder();
    let service = Services::new(Store::open(folder.path()).await.unwrap(), Way::default());
    (folder, service)
}

#[tokio::test]
async fn who_has_an_account_signs_in_and_out() {
    let (_folder, service) = service().await;
    let password = service
        .accounts
        .add_account(" Ida@x.org ", Role::Owner, None)
        .await;
    let password = password.unwrap();
    assert_eq!(password.len(), 20);
    let key = service
        .accounts
        .sign_in("IDA@x.org", &password, "here")
        .await
        .unwrap();
    let (who, _) = service.accounts.signed_in(&key).await.unwrap().unwrap();
    assert_eq!((who.name.as_str(), who.role), ("ida@x.org", Role::Owner));
    assert!(
        service
            .accounts
            .signed_in(&key[1..])
            .await
            .unwrap()
            .is_none()
    );
    service.accounts.sign_out(&key).await.unwrap();
    assert!(service.accounts.signed_in(&key).await.unwrap().is_none());
    let (_, hash) = service
        .context
        .store
        .account("ida@x.org")
        .await
        .unwrap()
        .unwrap();
    assert!(hash.starts_with("$argon2id$"), "{hash}");
    assert!(!hash.contains(&password));
}

#[tokio::test]
async fn wrong_names_and_wrong_passwords_are_told_alike() {
    let (_folder, service) = service().await;
    service
        .accounts
        .add_account("ida", Role::Owner, Some("long enough 1"))
        .await
        .unwrap();
    let wrong = async |name: &str, password: &str| {
        service
            .accounts
            .sign_in(name, password, "here")
            .await
            .unwrap_err()
            .to_string()
    };
    let of_ida = wrong("ida", "long enough 2").await;
    assert_eq!(of_ida, "Name or password are wrong.");
    assert_eq!(wrong("ada", "long enough 1").await, of_ida);
    assert_eq!(wrong("", "").await, of_ida);
    for _ in 0..9 {
        wrong("ida", "x").await;
    }
    let refused = wrong("ida", "long enough 1").await;
    assert!(refused.contains("too many"), "{refused}");
}

#[tokio::test]
async fn accounts_are_called_something_and_one_is_an_owner() {
    let (_folder, service) = service().await;
    for name in ["", "two words", "a/b", "<b>", &"x".repeat(61)] {
        let refused = service.accounts.add_account(name, Role::Reader, None).await;
        assert!(refused.is_err(), "{name}");
    }
    for password in ["short", &"x".repeat(201)] {
        let refused = service
            .accounts
            .add_account("ida", Role::Owner, Some(password))
            .await;
        assert!(refused.unwrap_err().to_string().contains("10 to 200"));
    }
    service
        .accounts
        .add_account("ida", Role::Owner, None)
        .await
        .unwrap();
    let twice = service
        .accounts
        .add_account("Ida", Role::Reader, None)
        .await;
    assert!(twice.unwrap_err().to_string().contains("already"));
    let refused = service.accounts.remove_account("ida").await.unwrap_err();
    assert!(refused.to_string().contains("only owner"), "{refused}");
    assert!(
        service
            .accounts
            .change_role("ida", Role::Editor)
            .await
            .is_err()
    );
    service
        .accounts
        .add_account("ada", Role::Reader, None)
        .await
        .unwrap();
    assert!(
        service.accounts.remove_account("ida").await.is_err(),
        "a reader is none"
    );
    service
        .accounts
        .change_role("ada", Role::Owner)
        .await
        .unwrap();
    service.accounts.remove_account("ida").await.unwrap();
    assert!(
        service
            .accounts
            .change_role("ida", Role::Owner)
            .await
            .is_err()
    );
    let password = service.accounts.change_password("ada", None).await.unwrap();
    let key = service
        .accounts
        .sign_in("ada", &password, "here")
        .await
        .unwrap();
    service
        .accounts
        .change_password("ada", Some("long enough 3"))
        .await
        .unwrap();
    assert!(
        service.accounts.signed_in(&key).await.unwrap().is_none(),
        "nobody stays in"
    );
    assert!(
        service
            .accounts
            .sign_in("ada", &password, "here")
            .await
            .is_err()
    );
}

#[test]
fn only_plain_addresses_are_names() {
    assert_eq!(
        as_name("Nick@Example.org").as_deref(),
        Some("nick@example.org")
    );
    for no_name in ["nic\u{212A}@example.org", "ida", "a@b@c", ""] {
        assert_eq!(as_name(no_name), None, "{no_name}");
    }
}
