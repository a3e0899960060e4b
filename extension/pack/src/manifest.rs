//! The manifest of each browser: what both have stands in a template, what only one knows is
//! added here.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::{FIREFOX_ID, Target, Variant, icons};

/// Gives the unpacked extension the same id in every Chromium profile.
const TEST_KEY: &str = "bGlua3NjZW50IHRlc3QgYnVpbGQ=";

/// The extension's id in Chromium, as it follows from the key in the manifest.
pub fn chromium_id() -> Result<String> {
    use base64::Engine;
    use sha2::Digest;
    let key = base64::engine::general_purpose::STANDARD.decode(TEST_KEY)?;
    let hash = sha2::Sha256::digest(key);
    let digits = hash[..16].iter().flat_map(|byte| [byte >> 4, byte & 15]);
    Ok(digits.map(|digit| char::from(b'a' + digit)).collect())
}

/// The manifest for a browser: the template with the workspace's version, the icons, and what
/// the browser wants.
pub(crate) fn manifest(root: &Path, variant: Variant, target: Target) -> Result<Value> {
    let template = fs::read_to_string(root.join("web-ext-manifest/manifest.json"))?;
    let mut manifest: Value = serde_json::from_str(&template).context("reading manifest.json")?;
    manifest["version"] = json!(env!("CARGO_PKG_VERSION"));
    manifest["icons"] = icons::named();
    manifest["action"]["default_icon"] = icons::named();
    let script = "js/background.js";
    match target {
        Target::Chromium => {
            manifest["minimum_chrome_version"] = json!("120");
            manifest["background"] = json!({ "service_worker": script, "type": "module" });
            manifest["side_panel"] = json!({ "default_path": "pages/panel.html" });
            add(&mut manifest["permissions"], "sidePanel");
            // The address of the frame for words changes with each session, so no page can try
            // whether the extension is there.
            manifest["web_accessible_resources"][0]["use_dynamic_url"] = json!(true);
        }
        Target::Firefox => {
            manifest["background"] = json!({ "scripts": [script], "type": "module" });
            manifest["sidebar_action"] = json!({
                "default_panel": "pages/panel.html",
                "default_title": "Linkscent",
                "default_icon": icons::named(),
                "open_at_install": false,
            });
            // Nothing goes anywhere unless the person pairs a companion of their own, a program
            // outside the browser: then these are asked for.
            manifest["browser_specific_settings"] = json!({ "gecko": {
                "id": FIREFOX_ID,
                "strict_min_version": "142.0",
                "data_collection_permissions": {
                    "required": ["none"],
                    "optional": ["browsingActivity", "websiteContent"],
                },
            } });
        }
    }
    if variant == Variant::Test {
        if target == Target::Chromium {
            manifest["key"] = json!(TEST_KEY);
        }
        manifest["host_permissions"] = json!(["http://*/*", "https://*/*"]);
        if let Some(manifest) = manifest.as_object_mut() {
            manifest.remove("optional_host_permissions");
        }
    }
    Ok(manifest)
}

fn add(list: &mut Value, text: &str) {
    if let Some(list) = list.as_array_mut() {
        list.push(json!(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root;

    fn template() -> Value {
        let text = fs::read_to_string(root().join("web-ext-manifest/manifest.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn made(variant: Variant, target: Target) -> Value {
        manifest(&root(), variant, target).unwrap()
    }

    #[test]
    fn version_and_id_come_from_the_workspace_and_from_nowhere_else() {
        let template = template();
        assert!(template.get("version").is_none());
        assert!(template.get("browser_specific_settings").is_none());
        let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
        for target in Target::ALL {
            let manifest = made(Variant::Release, target);
            let version = manifest["version"].as_str().unwrap();
            assert!(
                workspace.contains(&format!("\nversion = \"{version}\"\n")),
                "{version}"
            );
            // Browsers take one to four numbers, and no more than those.
            let numbers: Result<Vec<u16>, _> = version.split('.').map(str::parse).collect();
            assert!((1..=4).contains(&numbers.unwrap().len()), "{version}");
        }
        let firefox = made(Variant::Release, Target::Firefox);
        assert_eq!(
            firefox["browser_specific_settings"]["gecko"]["id"],
            FIREFOX_ID
        );
    }

    #[test]
    fn each_browser_is_told_what_it_knows() {
        let chromium = made(Variant::Release, Target::Chromium);
        let firefox = made(Variant::Release, Target::Firefox);
        for other in ["sidebar_action", "browser_specific_settings"] {
            assert!(chromium.get(other).is_none(), "{other}");
        }
        for other in ["side_panel", "minimum_chrome_version", "key"] {
            assert!(firefox.get(other).is_none(), "{other}");
        }
        let asks = |manifest: &Value| {
            let asked = manifest["permissions"].as_array().unwrap();
            asked.contains(&json!("sidePanel"))
        };
        assert!(asks(&chromium) && !asks(&firefox));
        assert!(chromium["background"].get("scripts").is_none());
        assert!(firefox["background"].get("service_worker").is_none());
    }

    /// What the stores show a person before the extension is installed. Whoever asks for more
    /// changes this list, PRIVACY.md and what the stores were told.
    #[test]
    fn the_extension_asks_for_these_permissions_and_no_others() {
        for target in Target::ALL {
            let manifest = made(Variant::Release, target);
            let mut expected = vec![
                "alarms",
                "contextMenus",
                "scripting",
                "storage",
                "webRequest",
            ];
            if target == Target::Chromium {
                expected.push("sidePanel");
            }
            assert_eq!(manifest["permissions"], json!(expected));
            assert_eq!(
                manifest["optional_permissions"],
                json!(["bookmarks", "history", "notifications"])
            );
            assert_eq!(manifest["host_permissions"], json!(["http://127.0.0.1/*"]));
            assert_eq!(
                manifest["optional_host_permissions"],
                json!(["http://*/*", "https://*/*"])
            );
            assert_eq!(manifest["incognito"], "not_allowed");
            for more in [
                "externally_connectable",
                "devtools_page",
                "chrome_url_overrides",
            ] {
                assert!(manifest.get(more).is_none(), "{more}");
            }
        }
    }

    #[test]
    fn only_test_builds_read_pages_unasked() {
        let template = template();
        for target in Target::ALL {
            let release = made(Variant::Release, target);
            for key in ["host_permissions", "optional_host_permissions"] {
                assert_eq!(release[key], template[key]);
            }
            assert_eq!(release["host_permissions"], json!(["http://127.0.0.1/*"]));
            assert!(release.get("key").is_none());
            let test = made(Variant::Test, target);
            assert_eq!(
                test["host_permissions"],
                template["optional_host_permissions"]
            );
            assert!(test.get("optional_host_permissions").is_none());
        }
    }
}
