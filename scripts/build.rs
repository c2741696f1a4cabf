//! Cargo runs this before it compiles: it finds out which commit is built, for `zuylen --version`.

use std::{env, path::Path, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=scripts/build.rs");
    // The other builds would be made anew after every commit.
    let commit = match env::var("PROFILE").as_deref() {
        Ok("release") => commit().unwrap_or_else(|| "unknown".to_owned()),
        _ => "unknown (a build for tests)".to_owned(),
    };
    println!("cargo::rustc-env=ZUYLEN_COMMIT={commit}");
}

/// The commit that is checked out, with `-dirty` behind it if files are not as it has them; `None`
/// in sources without a history.
fn commit() -> Option<String> {
    // Not that of a repository which the sources have been unpacked into.
    if !Path::new(".git").exists() {
        return None;
    }
    let head = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    for path in [head.as_str(), "src", "Cargo.toml", "Cargo.lock"] {
        // A path that isn't there would have this run every time.
        if Path::new(path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    git(&[
        "describe",
        "--always",
        "--dirty",
        "--exclude=*",
        "--abbrev=12",
    ])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (output.status.success() && !text.is_empty()).then(|| text.to_owned())
}
