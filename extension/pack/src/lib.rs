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
/// The extension's id in Chromium when it is built with [`Variant::Test`].
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
    let manifest = fs::read_to_string(root.join("web-ext-manifest/manifest.json"))?;
    let mut manifest: Value = serde_json::from_str(&manifest).context("reading manifest.json")?;
    if variant == Variant::Test {
        manifest["key"] = json!(TEST_KEY);
        manifest["host_permissions"] = json!(["http://*/*", "https://*/*"]);
        if let Some(manifest) = manifest.as_object_mut() {
            manifest.remove("optional_host_permissions");
        }
    }
    fs::write(
        folder.join("manifest.json"),
        serde_json::to_vec_pretty(&manifest)?,
    )?;
    pack(&folder, &folder.with_extension("zip"))?;
    Ok(folder)
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
