//! Builds the browser extension from source: WebAssembly by cargo, JavaScript
//! glue by wasm-bindgen, icons from their drawing; for each browser one folder to load unpacked
//! and one archive to install. The same source gives the same bytes, in whatever folder it lies.

mod icons;
#[cfg(test)]
mod locales;
mod manifest;
mod zips;

pub use manifest::chromium_id;
pub use zips::{pack, source};

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::json;
use wasm_bindgen_cli_support::Bindgen;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const TARGET: &str = "wasm32-unknown-unknown";
/// The extension's id in Firefox.
pub const FIREFOX_ID: &str = "linkscent@linkscent.example";

/// Which extension to build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// For people: asks before it reads pages.
    Release,
    /// For tests and the scratch profile of `cargo start`: may read pages from
    /// the first moment, because no one can answer the question there; pairs by a code that
    /// lies beside it, and can be measured.
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

/// A family of browsers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Chromium and those that are made from it.
    Chromium,
    /// Firefox on a desktop; the one for Android is not declared to be supported.
    Firefox,
}

impl Target {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Chromium, Self::Firefox];

    fn name(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
        }
    }
}

/// What was built.
#[derive(Debug, Clone)]
pub struct Built(PathBuf);

impl Built {
    /// The folder to load unpacked.
    pub fn folder(&self, target: Target) -> PathBuf {
        self.0.join(target.name())
    }
}

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Builds the extension for all browsers.
pub fn build(variant: Variant) -> Result<Built> {
    let root = root().canonicalize()?;
    build_in(&root, &target_folder(&root), variant)
}

/// Builds it from the source in a folder, with what comes of it in another.
pub fn build_in(root: &Path, target: &Path, variant: Variant) -> Result<Built> {
    compile(root, target, variant)?;
    let built = Built(target.join("extension").join(variant.name()));
    if built.0.exists() {
        fs::remove_dir_all(&built.0)?;
    }
    let first = built.folder(Target::Chromium);
    for part in ["js", "pages"] {
        copy(&root.join("extension").join(part), &first.join(part))?;
    }
    copy(
        &root.join("web-ext-manifest/_locales"),
        &first.join("_locales"),
    )?;
    if variant == Variant::Test {
        let script = first.join("js/background.js");
        let pairs = fs::read_to_string(root.join("extension/scratch/pair.js"))?;
        let whole = fs::read_to_string(&script)? + &pairs;
        fs::write(script, whole)?;
    }
    icons::draw(
        &root.join("web-ext-manifest/icon.svg"),
        &first.join("icons"),
    )?;
    Bindgen::new()
        .input_path(target.join(TARGET).join("wasm/linkscent_extension.wasm"))
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .out_name("linkscent")
        .generate(first.join("pkg"))?;
    let second = built.folder(Target::Firefox);
    for part in ["js", "pages", "icons", "pkg", "_locales"] {
        copy(&first.join(part), &second.join(part))?;
    }
    for target in Target::ALL {
        let manifest = manifest::manifest(root, variant, target)?;
        let manifest = serde_json::to_vec_pretty(&manifest)?;
        fs::write(built.folder(target).join("manifest.json"), manifest)?;
    }
    Ok(built)
}

/// Builds the archives for the stores: one for each browser, and the source for reviewers.
pub fn package() -> Result<Vec<PathBuf>> {
    let root = root().canonicalize()?;
    let mut archives = package_in(&root, &target_folder(&root))?;
    let source = archives[0].with_file_name(format!("linkscent-source-{VERSION}.zip"));
    zips::pack_source(&root, &source)?;
    archives.push(source);
    Ok(archives)
}

/// The archives for each browser, from the source in a folder, with what comes of it in another.
pub fn package_in(root: &Path, target: &Path) -> Result<Vec<PathBuf>> {
    let built = build_in(root, target, Variant::Release)?;
    let mut archives = Vec::new();
    for target in Target::ALL {
        let name = format!("linkscent-{}-{VERSION}.zip", target.name());
        let file = built.0.join(name);
        pack(&built.folder(target), &file)?;
        archives.push(file);
    }
    Ok(archives)
}

/// Puts a pairing code beside the extension of a scratch profile, which pairs by it when it is
/// first loaded.
pub fn introduce(folder: &Path, port: Option<u16>, code: &str) -> Result<()> {
    let pairing = json!({ "port": port, "code": code });
    Ok(fs::write(folder.join("pairing.json"), pairing.to_string())?)
}

/// Where builds go.
pub fn target_folder(root: &Path) -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root.join(folder),
        None => root.join("target"),
    }
}

fn compile(root: &Path, target: &Path, variant: Variant) -> Result<()> {
    ensure_target()?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    // What a linter compiles is not optimised as far.
    command.env_remove("RUSTC_WORKSPACE_WRAPPER");
    command.current_dir(root).arg("build");
    command.args(["--package", "linkscent-extension", "--profile", "wasm"]);
    command
        .args(["--target", TARGET])
        .arg("--target-dir")
        .arg(target);
    command.arg("--config").arg(nameless(root));
    if variant == Variant::Test {
        command.args(["--features", "bench"]);
    }
    let status = command.status().context("running cargo")?;
    if !status.success() {
        bail!("the extension does not compile; see above");
    }
    Ok(())
}

/// Has the compiler write where sources lie as if all lay in one place: paths of whoever builds
/// are nobody's business, and the bytes are the same for all.
fn nameless(root: &Path) -> String {
    let home = std::env::var_os("HOME")
        .map(PathBuf::from)
        .unwrap_or_default();
    let cargo = std::env::var_os("CARGO_HOME").map_or(home.join(".cargo"), PathBuf::from);
    let rustup = std::env::var_os("RUSTUP_HOME").map_or(home.join(".rustup"), PathBuf::from);
    let folders = [(root, "linkscent"), (&cargo, "cargo"), (&rustup, "rustup")];
    let flags =
        folders.map(|(from, to)| json!(format!("--remap-path-prefix={}={to}", from.display())));
    format!(
        "target.{TARGET}.rustflags=[{}]",
        flags.map(|flag| flag.to_string()).join(",")
    )
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
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}
