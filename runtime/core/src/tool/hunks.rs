//! The hunks of unified diffs.

#[cfg(feature = "diff")]
use std::time::{Duration, Instant};

/// The time after which a diff becomes coarse.
#[cfg(feature = "diff")]
const PATIENCE: Duration = Duration::from_millis(50);
/// The maximum size of text that is compared line by line; for more, only the common beginning and end are omitted.
#[cfg(feature = "diff")]
const MAX_COMPARED_BYTES: usize = 4 << 20;
/// The number of context lines around a change.
const AROUND: usize = 3;

/// Returns the hunks of a unified diff, which are empty if the texts are equal.
#[cfg(feature = "diff")]
pub(super) fn unified_hunks(before: &str, after: &str) -> String {
    use similar::udiff::UnifiedHunkHeader;
    use similar::{DiffOp, group_diff_ops};

    if before.len() + after.len() > MAX_COMPARED_BYTES {
        return coarse(before, after);
    }
    let (old, new) = (lines(before), lines(after));
    let mut hunks = String::new();
    for operations in group_diff_ops(compare(&old, &new), AROUND) {
        hunks += &format!("{}\n", UnifiedHunkHeader::new(&operations));
        for operation in &operations {
            if let DiffOp::Equal { .. } = operation {
                write_lines(&mut hunks, ' ', &old[operation.old_range()]);
            } else {
                write_lines(&mut hunks, '-', &old[operation.old_range()]);
                write_lines(&mut hunks, '+', &new[operation.new_range()]);
            }
        }
    }
    hunks
}

/// Compares lines with the algorithm of Myers. The functions of `similar` that choose the algorithm at run time are
/// compiled for each of them, which takes a megabyte and a half.
#[cfg(feature = "diff")]
fn compare(old: &[&str], new: &[&str]) -> Vec<similar::DiffOp> {
    use similar::algorithms::{Capture, Compact, Replace, myers};

    let mut operations = Compact::new(Replace::new(Capture::new()), old, new);
    let deadline = Some(Instant::now() + PATIENCE);
    let ended = myers::diff_deadline(
        &mut operations,
        old,
        0..old.len(),
        new,
        0..new.len(),
        deadline,
    );
    match ended {
        Ok(()) => operations.into_inner().into_inner().into_ops(),
    }
}

#[cfg(not(feature = "diff"))]
pub(super) fn unified_hunks(before: &str, after: &str) -> String {
    coarse(before, after)
}

/// Splits a text into lines, which keep their ends.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn write_lines(hunk: &mut String, sign: char, lines: &[&str]) {
    for line in lines {
        hunk.push(sign);
        hunk.push_str(line);
        if !line.ends_with('\n') {
            hunk.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// Returns one hunk with everything between the common beginning and end.
fn coarse(before: &str, after: &str) -> String {
    let (old, new) = (lines(before), lines(after));
    if old == new {
        return String::new();
    }
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
        pairs.take_while(|(old, new)| old == new).count()
    };
    let head = same(&mut old.iter().zip(&new));
    let tail = same(&mut old[head..].iter().rev().zip(new[head..].iter().rev()));
    let start = head.saturating_sub(AROUND);
    let shown = tail.min(AROUND);
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let mut hunk = format!(
        "@@ -{} +{} @@\n",
        range(start, old_end + shown),
        range(start, new_end + shown)
    );
    write_lines(&mut hunk, ' ', &old[start..head]);
    write_lines(&mut hunk, '-', &old[head..old_end]);
    write_lines(&mut hunk, '+', &new[head..new_end]);
    write_lines(&mut hunk, ' ', &old[old_end..old_end + shown]);
    hunk
}

/// Formats a range of lines for the header of a hunk.
fn range(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => (start + 1).to_string(),
        lines => format!("{},{lines}", start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "diff")]
    proptest::proptest! {
        /// The hunks are those of the whole library, whatever the texts are.
        #[test]
        fn hunks_are_those_of_the_library(before in "([ab]{0,1}\n){0,20}[ab]{0,1}", after in "([ab]{0,1}\n){0,20}[ab]{0,1}") {
            let diff = similar::TextDiff::from_lines(&*before, &*after);
            let expected = diff.unified_diff().context_radius(AROUND).to_string();
            proptest::prop_assert_eq!(unified_hunks(&before, &after), expected);
        }
    }

    #[test]
    fn a_diff_that_is_coarse_reads_as_a_fine_one() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let after = "a\nb\nc\nd\nE\nf\ng\nh\n";
        assert_eq!(
            coarse(before, after),
            "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n"
        );
        assert_eq!(unified_hunks(before, after), coarse(before, after));
        assert_eq!(coarse("", "x\ny\n"), "@@ -0,0 +1,2 @@\n+x\n+y\n");
        assert_eq!(coarse("x\n", ""), "@@ -1 +0,0 @@\n-x\n");
        assert_eq!(
            coarse("x", "x\n"),
            "@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n"
        );
        assert_eq!(coarse("same", "same"), "");
    }
}
