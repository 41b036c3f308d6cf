//! The output of `git status`.

const MAX_FILES: usize = 20;

/// Counts the changed files, and names the first ones; `None` if the text does not look like the output of `git
/// status`.
pub(super) fn reduce(text: &str) -> Option<String> {
    short_format(text).or_else(|| long_format(text))
}

/// The meanings of the two letters before a file, in the order of the output.
const STATES: [&str; 7] = [
    "conflicting",
    "modified",
    "added",
    "deleted",
    "renamed",
    "untracked",
    "ignored",
];

fn file_state(letters: &str) -> Option<&'static str> {
    Some(match letters {
        "??" => "untracked",
        "!!" => "ignored",
        "DD" | "AA" => "conflicting",
        _ if letters.contains('U') => "conflicting",
        _ if letters.contains(['M', 'T']) => "modified",
        _ if letters.contains('A') => "added",
        _ if letters.contains(['R', 'C']) => "renamed",
        _ if letters.contains('D') => "deleted",
        _ => return None,
    })
}

/// Reduces the output of `git status --short`.
fn short_format(text: &str) -> Option<String> {
    let mut counts = [0; STATES.len()];
    let (mut branch, mut files) = (None, Vec::new());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if line.starts_with("## ") {
            branch = Some(line);
            continue;
        }
        let letters = line.get(..2)?;
        let is_status = letters.chars().all(|c| " MADRCTU?!".contains(c));
        if !is_status || line.as_bytes().get(2) != Some(&b' ') {
            return None;
        }
        let state = file_state(letters)?;
        let place = STATES.iter().position(|known| *known == state)?;
        counts[place] += 1;
        files.push((place, line));
    }
    if files.is_empty() {
        return None;
    }
    // A conflict blocks all other work, so conflicts come first.
    files.sort_by_key(|(place, _)| *place != 0);
    let counts = STATES.iter().zip(counts).filter(|(_, count)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    let named = files.iter().take(MAX_FILES);
    let named: Vec<&str> = named.map(|(_, line)| *line).collect();
    let branch = branch.map_or(String::new(), |branch| format!("{branch}\n"));
    Some(format!(
        "{branch}git status: {}.\nFirst {}: {}",
        counts.join(", "),
        named.len(),
        named.join(", ")
    ))
}

/// Reduces the default output of `git status` to the first files of each section.
fn long_format(text: &str) -> Option<String> {
    const SECTIONS: [&str; 5] = [
        "Changes to be committed:",
        "Changes not staged for commit:",
        "Untracked files:",
        "Unmerged paths:",
        "Ignored files:",
    ];
    let is_status = text.lines().any(|line| {
        line.starts_with("On branch ")
            || line.starts_with("HEAD detached")
            || SECTIONS.contains(&line)
    });
    if !is_status {
        return None;
    }
    let (mut short, mut named) = (String::new(), 0_usize);
    let mut left_out = 0_usize;
    let mut most = MAX_FILES;
    for line in text.lines() {
        // Hints for interactive users.
        if line.trim().is_empty() || line.trim_start().starts_with("(use \"git ") {
            continue;
        }
        if let Some(file) = line.strip_prefix('\t') {
            named += 1;
            if named > most {
                left_out += 1;
                continue;
            }
            short.push_str(&format!("\t{file}\n"));
            continue;
        }
        push_omitted_count(&mut short, &mut left_out);
        named = 0;
        // During a merge, every conflict has to be shown.
        most = if line == "Unmerged paths:" {
            usize::MAX
        } else {
            MAX_FILES
        };
        short.push_str(line);
        short.push('\n');
    }
    push_omitted_count(&mut short, &mut left_out);
    short.truncate(short.trim_end().len());
    Some(short)
}

fn push_omitted_count(short: &mut String, left_out: &mut usize) {
    if *left_out > 0 {
        short.push_str(&format!("\t… and {left_out} more\n"));
        *left_out = 0;
    }
}
