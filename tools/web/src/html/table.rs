//! Writes tables.

use super::dom::{Dom, NodeId};
use super::markdown::PageWriter;
use super::text_writer::{Gap, TextWriter};

/// The greatest number of columns.
const MAX_COLUMNS: usize = 64;

/// The greatest length of a cell of a table with columns, in bytes.
const MAX_CELL: usize = 1_000;

/// Writes a table: with columns if it holds data, and otherwise its cells one after the other.
pub(super) fn write(writer: &mut PageWriter<'_>, id: NodeId) {
    let dom = writer.dom;
    let rows = rows(dom, id);
    if writer.out.is_inline() || !is_data(dom, writer, id, &rows) {
        writer.out.request(Gap::Block);
        for row in dom.children(id) {
            writer.node(row);
        }
        writer.out.request(Gap::Block);
        return;
    }
    writer.out.request(Gap::Block);
    for caption in dom
        .children(id)
        .filter(|child| dom.name(*child) == "caption")
    {
        writer.node(caption);
    }
    writer.out.request(Gap::Block);
    let columns = rows.iter().map(|row| width(dom, row)).max().unwrap_or(1);
    let columns = columns.min(MAX_COLUMNS);
    for (index, row) in rows.iter().enumerate() {
        let mut cells = Vec::new();
        for cell in row {
            cells.push(self::cell(writer, *cell));
            let span = span(dom, *cell);
            cells.resize((cells.len() + span - 1).min(MAX_COLUMNS), String::new());
        }
        cells.resize(columns, String::new());
        writer.out.request(Gap::Line);
        if writer.is_markdown() {
            writer.out.raw(&format!("| {} |", cells.join(" | ")));
        } else {
            writer.out.raw(cells.join("\t").trim_end());
        }
        if index == 0 && writer.is_markdown() {
            writer.out.request(Gap::Line);
            writer.out.raw(&format!("|{}", " --- |".repeat(columns)));
        }
        if writer.out.is_full() {
            break;
        }
    }
    writer.out.request(Gap::Block);
}

/// Writes a cell by itself, without line breaks.
fn cell(writer: &mut PageWriter<'_>, id: NodeId) -> String {
    let mut inner = TextWriter::new(MAX_CELL * 8);
    inner.begin_inline();
    std::mem::swap(&mut writer.out, &mut inner);
    writer.children(id);
    std::mem::swap(&mut writer.out, &mut inner);
    inner.into_text().replace('|', "\\|")
}

/// Returns the cells of each row that is shown.
fn rows(dom: &Dom, table: NodeId) -> Vec<Vec<NodeId>> {
    let mut rows = Vec::new();
    for part in dom.children(table) {
        match dom.name(part) {
            "tr" => rows.push(part),
            "thead" | "tbody" | "tfoot" => {
                rows.extend(dom.children(part).filter(|row| dom.name(*row) == "tr"))
            }
            _ => {}
        }
    }
    let cells = rows.into_iter().map(|row| {
        let cells = dom.children(row);
        cells
            .filter(|cell| matches!(dom.name(*cell), "td" | "th"))
            .collect()
    });
    cells.filter(|cells: &Vec<_>| !cells.is_empty()).collect()
}

fn span(dom: &Dom, cell: NodeId) -> usize {
    let span = dom
        .attribute(cell, "colspan")
        .and_then(|span| span.parse().ok());
    span.unwrap_or(1).clamp(1, MAX_COLUMNS)
}

fn width(dom: &Dom, row: &[NodeId]) -> usize {
    row.iter().map(|cell| span(dom, *cell)).sum()
}

/// Reports whether a table holds data, and does not lay out the page.
fn is_data(dom: &Dom, writer: &PageWriter<'_>, table: NodeId, rows: &[Vec<NodeId>]) -> bool {
    let role = dom.attribute(table, "role");
    if matches!(role, Some("presentation" | "none")) {
        return false;
    }
    let has_columns = rows.iter().any(|row| row.len() > 1);
    let cells = || rows.iter().flatten();
    let is_long = |cell: &NodeId| writer.measures.get(*cell).text as usize > MAX_CELL;
    let has_layout = |cell: &NodeId| {
        dom.descendants(*cell).any(|id| {
            matches!(
                dom.name(id),
                "table" | "pre" | "h1" | "h2" | "h3" | "blockquote"
            )
        })
    };
    has_columns && rows.len() > 1 && !cells().any(is_long) && !cells().any(has_layout)
}
