//! The programs at the beginning of README.md compile in a new package, and do what the page says.

use std::fs;
use std::path::{Path, PathBuf};

use crate::outside::building::{Build, Program, cargo, run, scratch, workspace, write};
use crate::outside::packages;

/// A block of code in README.md.
struct Block {
    /// The word after the fence, without what follows a comma.
    language: String,
    /// The path that ends the text before the block, as in "`src/main.rs`:".
    file: Option<String>,
    text: String,
}

/// Returns the blocks of code of a section of README.md.
fn blocks(heading: &str) -> Vec<Block> {
    let page = fs::read_to_string(workspace().join("README.md")).expect("README.md exists");
    let (_, section) = page
        .split_once(&format!("\n## {heading}\n"))
        .unwrap_or_else(|| panic!("README.md has no section `{heading}`"));
    let section = section.split("\n## ").next().unwrap_or_default();
    let mut parts = section.split("```");
    let mut before = parts.next().unwrap_or_default();
    let mut blocks = Vec::new();
    while let (Some(block), Some(after)) = (parts.next(), parts.next()) {
        let (fence, text) = block.split_once('\n').expect("a fence ends its line");
        let path = before.trim_end().strip_suffix("`:");
        blocks.push(Block {
            language: fence.split(',').next().unwrap_or_default().to_owned(),
            file: path.and_then(|path| Some(path.rsplit_once('`')?.1.to_owned())),
            text: text.to_owned(),
        });
        before = after;
    }
    blocks
}

/// Splits a line of a shell at spaces, and returns what its comment says, too.
fn command(line: &str) -> (Vec<&str>, &str) {
    let (command, comment) = line.split_once(" # ").unwrap_or((line, ""));
    (command.split_whitespace().collect(), comment.trim())
}

/// Makes the package as the page says, in a workspace of its own below the target folder. The dependency on helve is one
/// on the package as it is published.
fn new_package() -> PathBuf {
    let folder = scratch().join("readme");
    let _ = fs::remove_dir_all(&folder);
    packages::write_workspace(&folder, &[]);
    let lines = blocks("A first program").swap_remove(0);
    assert_eq!(lines.language, "sh");
    let mut here = folder.clone();
    for line in lines.text.lines() {
        match *command(line).0 {
            ["cd", below] => here.push(below),
            ["cargo", "new", name] => {
                run(cargo(workspace(), "new")
                    .args(["--vcs", "none", name])
                    .current_dir(&here))
                .assert_success();
            }
            ["cargo", "add", "helve"] => {
                run(cargo(workspace(), "add")
                    .arg("--path")
                    .arg(packages::folder_of("helve"))
                    .current_dir(&here))
                .assert_success();
            }
            _ => panic!("the test does not know `{line}`"),
        }
    }
    assert_eq!(here, folder.join("weather"));
    folder
}

/// Writes the files that a section shows, and returns the command lines of its last block.
fn write_files(package: &Path, blocks: Vec<Block>) -> Vec<String> {
    let mut commands = Vec::new();
    for block in blocks {
        if let Some(file) = block.file {
            write(&package.join(file), &block.text);
        } else {
            assert_eq!(
                block.language, "sh",
                "no file is named before {}",
                block.text
            );
            commands = block.text.lines().map(str::to_owned).collect();
        }
    }
    commands
}

/// Runs the commands that need no model; where the comment is the result of a call, compares it.
fn assert_commands(program: &Program, commands: &[String]) {
    assert!(!commands.is_empty());
    for line in commands {
        let (words, comment) = command(line);
        let ["cargo", "run", "--", arguments @ ..] = &words[..] else {
            panic!("`{line}` does not run the program");
        };
        if arguments.contains(&"--model") {
            continue;
        }
        let output = program.run(arguments);
        // `doctor` reports that no model is set.
        if arguments != ["doctor"] {
            assert_eq!(output.code, Some(0), "{line}: {output:?}");
        }
        if arguments[0] == "call" {
            assert_eq!(output.out.trim_end(), comment, "{line}");
        }
        assert_ne!(output.out, "", "{line}: {output:?}");
    }
}

#[test]
fn the_programs_of_the_readme_compile_in_a_new_package_and_run() {
    let folder = new_package();
    let build = Build {
        package: "weather",
        folder: folder.to_str().expect("the path is UTF-8"),
        ..Build::default()
    };
    for heading in ["A first program", "Types, state and skills"] {
        let commands = write_files(&folder.join("weather"), blocks(heading));
        let program = build.run();
        assert_commands(&program, &commands);
        if heading == "Types, state and skills" {
            let skills = program.run(["skills"]).assert_success();
            assert!(skills.out.contains("read-weather"), "{}", skills.out);
        }
    }
}
