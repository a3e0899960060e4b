//! What shells and manuals know of the program: completions, man pages.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Command};
use clap_complete::Shell;
use linkscent_output::file_on_stdout;

/// Print what a shell needs to complete commands and flags.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent config completions bash > ~/.local/share/bash-completion/completions/linkscent")]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    /// Prints them.
    pub fn run(&self, mut command: Command) {
        clap_complete::generate(self.shell, &mut command, "linkscent", &mut file_on_stdout());
    }
}

/// Write man pages, one a command, into a folder.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent config man ~/.local/share/man/man1")]
pub struct Man {
    /// The folder; made if it is not there.
    folder: PathBuf,
}

impl Man {
    /// Writes them.
    pub fn run(&self, command: Command) -> Result<()> {
        let writing = || format!("writing to {}", self.folder.display());
        std::fs::create_dir_all(&self.folder).with_context(writing)?;
        clap_mangen::generate_to(command, &self.folder).with_context(writing)
    }
}
