//! A page of a list, as rows.

use helve::ToolContext;

/// The characters for the first line.
const HEADER_CHARS: usize = 400;

/// A page of a list.
#[derive(Debug)]
pub(crate) struct Listing {
    /// What there is one of, and what there are many of.
    pub(crate) one: &'static str,
    pub(crate) many: &'static str,
    /// Of what, in words, such as `of acme/app`.
    pub(crate) of: String,
    pub(crate) page: usize,
    pub(crate) has_next: bool,
    /// The number of all, where the API says it.
    pub(crate) total: Option<u64>,
    pub(crate) rows: Vec<String>,
}

impl Listing {
    /// Renders the page: how much it is of how much and how to go on, then the rows that a result has room for.
    pub(crate) fn render(&self, cx: &ToolContext) -> String {
        self.render_with(cx, "")
    }

    /// Renders the page with a remark on what is not in the list.
    pub(crate) fn render_with(&self, cx: &ToolContext, remark: &str) -> String {
        let room = cx.result_budget().saturating_sub(HEADER_CHARS).max(400);
        let mut used = 0;
        let fits = |row: &&String| {
            used += row.chars().count() + 1;
            used <= room
        };
        let shown: Vec<&String> = self.rows.iter().take_while(fits).collect();
        let number = self.rows.len();
        let mut line = match (number, self.total) {
            (0, _) if self.page > 1 => format!("no {} on page {}", self.many, self.page),
            (0, _) => format!("no {}", self.many),
            (1, None | Some(1)) => format!("1 {}", self.one),
            (_, Some(total)) if total > number as u64 => {
                format!("{number} of {total} {}", self.many)
            }
            _ => format!("{number} {}", self.many),
        };
        if !self.of.is_empty() {
            line = format!("{line} {}", self.of);
        }
        if self.page > 1 && number > 0 {
            line = format!("{line}, page {}", self.page);
        }
        if self.has_next {
            line = format!("{line}; more with `page` {}", self.page + 1);
        }
        if !remark.is_empty() {
            line = format!("{line}; {remark}");
        }
        if shown.len() < number {
            line = format!(
                "{line}; the result has room for the first {} of them",
                shown.len()
            );
        }
        let mut text = line;
        for row in shown {
            text.push('\n');
            text.push_str(row);
        }
        text
    }
}
