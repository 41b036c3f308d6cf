//! Reads the tables.

use std::fmt::Write as _;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Row, params, params_from_iter};

use crate::document::{Document, SourcePosition, TextHit, TextQuery};
use crate::query::QueryTerms;
use crate::snippet::Snippet;

/// The columns of a document, in the order of [`read_document`].
const COLUMNS: &str = "document.key, document.source, document.scope, document.kind, document.time, document.title, \
                       document.text, document.data";

/// Returns the number of a collection.
pub(crate) fn collection_id(connection: &Connection, name: &str) -> rusqlite::Result<Option<i64>> {
    let select = "SELECT id FROM collection WHERE name = ?1";
    let found = connection.query_row(select, [name], |row| row.get(0));
    found.optional()
}

/// Finds the documents that match a query best.
pub(crate) fn search(
    connection: &Connection,
    collection: &str,
    query: &TextQuery,
    terms: &QueryTerms,
) -> rusqlite::Result<Vec<TextHit>> {
    let Some(id) = collection_id(connection, collection)? else {
        return Ok(Vec::new());
    };
    let mut values = vec![Value::from(terms.expression())];
    let mut select = format!(
        "SELECT {COLUMNS}, document.id, terms_{id}.rank FROM terms_{id}
         JOIN document ON document.id = terms_{id}.rowid
         WHERE terms_{id} MATCH ?"
    );
    filter(query, &mut select, &mut values);
    let _ = write!(select, " ORDER BY terms_{id}.rank LIMIT ?");
    let limit = query.limit.min(TextQuery::MAX_LIMIT);
    values.push(Value::from(i64::try_from(limit).unwrap_or(i64::MAX)));
    let mut select = connection.prepare(&select)?;
    let hits = select.query_map(params_from_iter(values), |row| {
        let (id, rank): (i64, f64) = (row.get(8)?, row.get(9)?);
        Ok((id, rank, read_document(row)?))
    })?;
    let mut hits: Vec<(i64, f64, Document)> = hits.collect::<Result<_, _>>()?;
    hits.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
    let hits = hits.into_iter().map(|(_, rank, document)| TextHit {
        snippet: Snippet::new(&document.text, terms),
        score: -rank,
        document,
    });
    Ok(hits.collect())
}

/// Appends the conditions of a query, and their values.
fn filter(query: &TextQuery, select: &mut String, values: &mut Vec<Value>) {
    for (column, wanted) in [("scope", &query.scopes), ("kind", &query.kinds)] {
        if !wanted.is_empty() {
            let marks = vec!["?"; wanted.len()].join(", ");
            let _ = write!(select, " AND document.{column} IN ({marks})");
            values.extend(wanted.iter().cloned().map(Value::from));
        }
    }
    if let Some(source) = &query.source {
        select.push_str(" AND document.source = ?");
        values.push(Value::from(source.clone()));
    }
    for (comparison, time) in [(">=", query.since), ("<", query.before)] {
        if let Some(time) = time {
            let _ = write!(select, " AND document.time {comparison} ?");
            values.push(Value::from(time));
        }
    }
}

pub(crate) fn get(
    connection: &Connection,
    collection: &str,
    key: &str,
) -> rusqlite::Result<Option<Document>> {
    let Some(id) = collection_id(connection, collection)? else {
        return Ok(None);
    };
    let select = format!("SELECT {COLUMNS} FROM document WHERE collection = ?1 AND key = ?2");
    let found = connection.query_row(&select, params![id, key], read_document);
    found.optional()
}

pub(crate) fn count(connection: &Connection, collection: &str) -> rusqlite::Result<u64> {
    let Some(id) = collection_id(connection, collection)? else {
        return Ok(0);
    };
    let select = "SELECT count(*) FROM document WHERE collection = ?1";
    let count: i64 = connection.query_row(select, [id], |row| row.get(0))?;
    Ok(count.cast_unsigned())
}

/// Returns the position of a source, or those of all sources.
pub(crate) fn positions(
    connection: &Connection,
    collection: &str,
    source: Option<&str>,
) -> rusqlite::Result<Vec<SourcePosition>> {
    let Some(id) = collection_id(connection, collection)? else {
        return Ok(Vec::new());
    };
    let mut select = connection.prepare(
        "SELECT name, position, stamp FROM source
         WHERE collection = ?1 AND (?2 IS NULL OR name = ?2) ORDER BY name",
    )?;
    let positions = select.query_map(params![id, source], |row| {
        Ok(SourcePosition {
            source: row.get(0)?,
            position: row.get::<_, i64>(1)?.cast_unsigned(),
            stamp: row.get(2)?,
        })
    })?;
    positions.collect()
}

fn read_document(row: &Row<'_>) -> rusqlite::Result<Document> {
    Ok(Document {
        key: row.get(0)?,
        source: row.get(1)?,
        scope: row.get(2)?,
        kind: row.get(3)?,
        time: row.get(4)?,
        title: row.get(5)?,
        text: row.get(6)?,
        data: row.get(7)?,
    })
}
