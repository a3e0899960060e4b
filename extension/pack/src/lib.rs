//! Builds the browser extension from source: WebAssembly by cargo, JavaScript
//! glue by wasm-bindgen, one folder to load unpacked and one zip to install.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use wasm_bindgen_cli_support::Bindgen;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const TARGET: &str = "wasm32-unknown-unknown";
/// Gives the unpacked extension the same id in every Chromium profile.
const TEST_KEY: &str = "bGlua3NjZW50IHRlc3QgYnVpbGQ=";
/// The extension's id in Firefox.
pub const FIREFOX_ID: &str = "linkscent@linkscent.example";

/// Which extension to build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// For people: asks before it reads pages.
    Release,
    /// For tests and the scratch profile of `cargo start`: may read pages from
    /// the first moment, because no one can answer the question there.
    Test,
}

impl Variant {
    fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Test => "test",
        }
    }
}

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The extension's id in Chromium, as it follows from the key in the manifest.
pub fn chromium_id() -> Result<String> {
    use base64::Engine;
    use sha2::Digest;
    let key = base64::engine::general_purpose::STANDARD.decode(TEST_KEY)?;
    let hash = sha2::Sha256::digest(key);
    let digits = hash[..16].iter().flat_map(|byte| [byte >> 4, byte & 15]);
    Ok(digits.map(|digit| char::from(b'a' + digit)).collect())
}

/// Builds the extension; the folder to load unpacked.
pub fn build(variant: Variant) -> Result<PathBuf> {
    let root = root().canonicalize()?;
    let target = root.join("target");
    compile(&root)?;
    let folder = target.join("extension").join(variant.name());
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    for part in ["js", "pages"] {
        copy(&root.join("extension").join(part), &folder.join(part))?;
    }
    let wasm = target.join(TARGET).join("wasm/linkscent_extension.wasm");
    Bindgen::new()
        .input_path(&wasm)
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .out_name("linkscent")
        .generate(folder.join("pkg"))?;
    fs::write(
        folder.join("manifest.json"),
        serde_json::to_vec_pretty(&manifest(&root, variant)?)?,
    )?;
    pack(&folder, &folder.with_extension("zip"))?;
    Ok(folder)
}

/// The manifest: the template, with the workspace's version and the extension's ids.
fn manifest(root: &Path, variant: Variant) -> Result<Value> {
    let template = fs::read_to_string(root.join("web-ext-manifest/manifest.json"))?;
    let mut manifest: Value = serde_json::from_str(&template).context("reading manifest.json")?;
    manifest["version"] = json!(env!("CARGO_PKG_VERSION"));
    manifest["browser_specific_settings"]["gecko"]["id"] = json!(FIREFOX_ID);
    if variant == Variant::Test {
        manifest["key"] = json!(TEST_KEY);
        manifest["host_permissions"] = json!(["http://*/*", "https://*/*"]);
        if let Some(manifest) = manifest.as_object_mut() {
            manifest.remove("optional_host_permissions");
        }
    }
    Ok(manifest)
}

fn compile(root: &Path) -> Result<()> {
    ensure_target()?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let status = Command::new(cargo)
        .current_dir(root)
        .args([
            "build",
            "--package",
            "linkscent-extension",
            "--profile",
            "wasm",
            "--target",
            TARGET,
        ])
        .status()
        .context("running cargo")?;
    if !status.success() {
        bail!("the extension does not compile; see above");
    }
    Ok(())
}

/// Installs the standard library for WebAssembly if rustup has not yet.
fn ensure_target() -> Result<()> {
    let installed = Command::new("rustup")
        .args(["target", "list", "--installed"])
        .output();
    let Ok(installed) = installed else {
        return Ok(()); // no rustup: the toolchain came otherwise; cargo will tell
    };
    if String::from_utf8_lossy(&installed.stdout).contains(TARGET) {
        return Ok(());
    }
    let status = Command::new("rustup")
        .args(["target", "add", TARGET])
        .status()?;
    if !status.success() {
        bail!("installing the {TARGET} target failed: try `rustup target add {TARGET}`");
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Packs a folder into one file, as browsers install it.
pub fn pack(folder: &Path, file: &Path) -> Result<()> {
    let mut zip = ZipWriter::new(fs::File::create(file)?);
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry?;
        if entry.file_type().is_file() {
            let name = entry
                .path()
                .strip_prefix(folder)?
                .to_string_lossy()
                .into_owned();
            zip.start_file(name, SimpleFileOptions::default())?;
            zip.write_all(&fs::read(entry.path())?)?;
        }
    }
    zip.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template() -> Value {
        let text = fs::read_to_string(root().join("web-ext-manifest/manifest.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn version_and_id_come_from_the_workspace_and_from_nowhere_else() {
        let template = template();
        assert!(template.get("version").is_none());
        assert!(
            template["browser_specific_settings"]["gecko"]
                .get("id")
                .is_none()
        );
        let manifest = manifest(&root(), Variant::Release).unwrap();
        let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
        let version = manifest["version"].as_str().unwrap();
        assert!(
            workspace.contains(&format!("\nversion = \"{version}\"\n")),
            "{version}"
        );
        // Browsers take one to four numbers, and no more than those.
        let numbers: Result<Vec<u16>, _> = version.split('.').map(str::parse).collect();
        assert!((1..=4).contains(&numbers.unwrap().len()), "{version}");
        assert_eq!(
            manifest["browser_specific_settings"]["gecko"]["id"],
            FIREFOX_ID
        );
    }

    #[test]
    fn only_test_builds_read_pages_unasked() {
        let release = manifest(&root(), Variant::Release).unwrap();
        let template = template();
        for key in ["host_permissions", "optional_host_permissions"] {
            assert_eq!(release[key], template[key]);
        }
        assert_eq!(release["host_permissions"], json!(["http://127.0.0.1/*"]));
        assert!(release.get("key").is_none());
        let test = manifest(&root(), Variant::Test).unwrap();
        assert_eq!(
            test["host_permissions"],
            template["optional_host_permissions"]
        );
        assert!(test.get("optional_host_permissions").is_none());
    }
}
