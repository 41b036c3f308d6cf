//! Small programs, compiled by the compiler alone, and what that took.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The text of a program.
pub(super) struct Program {
    name: String,
    source: String,
}

impl Program {
    /// Embeds a folder with the macro, collects the catalogue, and says how long that took and of how many skills it is.
    pub(super) fn embedding(folder: &str) -> Self {
        let embedding = format!("helve::include_skills!(\"{folder}\");\n");
        Self {
            name: format!("embedding_{folder}"),
            source: embedding + COLLECT,
        }
    }

    /// Embeds files by hand, and does the same.
    pub(super) fn bare(files: &[String]) -> Self {
        let entry = |path: &String| {
            format!(
                "    ({path:?}, include_bytes!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{path}\"))),\n"
            )
        };
        let entries: String = files.iter().map(entry).collect();
        Self {
            name: "bare".to_owned(),
            source: format!(
                "#[used]\nstatic FILES: [(&str, &[u8]); {}] = [\n{entries}];\n{COLLECT}",
                files.len()
            ),
        }
    }
}

const COLLECT: &str = r#"
fn main() {
    let begun = std::time::Instant::now();
    let catalog = helve::skill::SkillCatalog::collect().expect("no two skills of one name");
    let took = begun.elapsed();
    println!("{} {}", took.as_nanos(), catalog.len());
}
"#;

/// The compiler, and the libraries that the programs are linked with.
pub(super) struct Compiler {
    folder: PathBuf,
    libraries: PathBuf,
    helve: PathBuf,
}

impl Compiler {
    /// Finds the library of helve that is good for the programs. There may be some, of other features.
    pub(super) fn find(folder: &Path) -> Option<Self> {
        let libraries = std::env::current_exe().ok()?.parent()?.to_owned();
        let entries = fs::read_dir(&libraries).ok()?;
        let mut found: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                let name = path
                    .file_name()
                    .and_then(|name| name.to_str())
                    .unwrap_or_default();
                name.starts_with("libhelve-") && name.ends_with(".rlib")
            })
            .collect();
        // The newest is most likely the one that this benchmark is linked with.
        found.sort_by_key(|path| {
            std::cmp::Reverse(path.metadata().and_then(|found| found.modified()).ok())
        });
        let compilers = found.into_iter().map(|helve| Self {
            folder: folder.to_owned(),
            libraries: libraries.clone(),
            helve,
        });
        let program = Program::embedding(super::tree::ONE);
        compilers.into_iter().find(|compiler| {
            compiler
                .command(&program)
                .output()
                .is_ok_and(|output| output.status.success())
        })
    }

    /// Compiles a program as cargo would compile a release, and gives it.
    pub(super) fn compile(&self, program: &Program) -> PathBuf {
        let output = self.command(program).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {said}", program.name);
        self.folder.join(&program.name)
    }

    /// Compiles a program; returns the nanoseconds of processor time.
    pub(super) fn processor_time(&self, program: &Program) -> f64 {
        let before = children();
        self.compile(program);
        (children() - before) * 1e9
    }

    /// Compiles a program, without its symbols; returns its size.
    pub(super) fn size(&self, program: &Program) -> u64 {
        self.compile(program).metadata().unwrap().len()
    }

    fn command(&self, program: &Program) -> Command {
        let source = self.folder.join(&program.name).with_extension("rs");
        fs::write(&source, &program.source).unwrap();
        let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        command
            .args([
                "--edition",
                "2024",
                "--crate-type",
                "bin",
                "-C",
                "opt-level=3",
                "-C",
                "strip=symbols",
            ])
            .arg("--extern")
            .arg(format!("helve={}", self.helve.display()))
            .arg("-L")
            .arg(format!("dependency={}", self.libraries.display()))
            .arg("-o")
            .arg(self.folder.join(&program.name))
            .arg(source)
            .env("CARGO_MANIFEST_DIR", &self.folder)
            .env("CARGO_PKG_NAME", "program")
            .env("CARGO_CRATE_NAME", "program");
        command
    }
}

/// The processor seconds that this process's children took, those that it has waited for.
fn children() -> f64 {
    // proc_pid_stat(5): utime, stime, cutime and cstime are the 14th to the 17th field, in hundredths of a second.
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let ticks = fields.split_whitespace().skip(13).take(2);
    ticks
        .map(|ticks| ticks.parse::<f64>().unwrap())
        .sum::<f64>()
        / 100.0
}

/// Starts a program; returns how long its catalogue took, which must have so many skills.
pub(super) fn collecting(program: &Path, skills: usize) -> Duration {
    let output = Command::new(program).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let (took, count) = said.trim().split_once(' ').unwrap();
    assert_eq!(count.parse(), Ok(skills), "{}", program.display());
    Duration::from_nanos(took.parse().unwrap())
}
