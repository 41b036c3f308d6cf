//! Reads the tables.

mod ranking;

use std::fmt::Write as _;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Row, params, params_from_iter};

use crate::document::{Document, SourcePosition, TextHit, TextQuery};
use crate::query::QueryTerms;
use crate::snippet::Snippet;

/// The columns of a document, in the order of [`read_document`].
pub(crate) const COLUMNS: &str = "document.key, document.source, document.scope, document.kind, document.time, document.title, \
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
    let ranked = ranking::rank(connection, id, query, terms)?;
    let select = format!("SELECT {COLUMNS} FROM document WHERE id = ?1");
    let mut select = connection.prepare(&select)?;
    let hits = ranked.into_iter().map(|(id, rank)| {
        let document = select.query_row([id], read_document)?;
        Ok(TextHit {
            snippet: Snippet::new(&document.text, terms),
            score: -rank,
            document,
        })
    });
    hits.collect()
}

/// Appends the conditions of a query, and their values.
pub(crate) fn filter(query: &TextQuery, select: &mut String, values: &mut Vec<Value>) {
    for (column, wanted) in [("scope", &query.scopes), ("kind", &query.kinds)] {
        if !wanted.is_empty() {
            let marks = vec!["?"; wanted.len()].join(", ");
            let _ = write!(select, " AND document.{column} IN ({marks})");
            values.extend(wanted.iter().cloned().map(Value::from));
        }
    }
    let others = [
        ("document.source = ?", &query.source),
        ("document.source <> ?", &query.excluded_source),
        (
            "substr(document.scope, 1, length(?1)) = ?1",
            &query.scope_prefix,
        ),
        (
            "substr(document.scope, -length(?1)) = ?1",
            &query.scope_suffix,
        ),
    ];
    for (condition, value) in others {
        if let Some(value) = value {
            values.push(Value::from(value.clone()));
            let condition = condition.replace("?1", &format!("?{}", values.len()));
            let _ = write!(select, " AND {condition}");
        }
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

/// Returns the documents before and after one in its source, in the order of their ids, of some kinds.
pub(crate) fn neighbours(
    connection: &Connection,
    collection: &str,
    key: &str,
    kinds: &[String],
) -> rusqlite::Result<[Option<Document>; 2]> {
    let select = "SELECT document.collection, document.id, document.source FROM document
                  JOIN collection ON collection.id = document.collection
                  WHERE collection.name = ?1 AND key = ?2";
    let found = connection.query_row(select, [collection, key], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get(2)?))
    });
    let Some((collection, id, source)) = found.optional()? else {
        return Ok([None, None]);
    };
    let marks = match kinds.len() {
        0 => String::new(),
        count => format!(" AND kind IN ({})", vec!["?"; count].join(", ")),
    };
    let source: String = source;
    let find = |comparison: &str, order: &str| {
        let select = format!(
            "SELECT {COLUMNS} FROM document WHERE collection = ? AND source = ? AND id {comparison} ?{marks}
             ORDER BY id {order} LIMIT 1"
        );
        let values = [
            Value::from(collection),
            Value::from(source.clone()),
            Value::from(id),
        ];
        let kinds = kinds.iter().cloned().map(Value::from);
        let values = params_from_iter(values.into_iter().chain(kinds));
        connection
            .query_row(&select, values, read_document)
            .optional()
    };
    Ok([find("<", "DESC")?, find(">", "ASC")?])
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

pub(crate) fn read_document(row: &Row<'_>) -> rusqlite::Result<Document> {
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
