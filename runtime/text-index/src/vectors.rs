//! The table of vectors.

use std::collections::HashMap;

use rusqlite::types::Value;
use rusqlite::{Connection, Transaction, params, params_from_iter};

use crate::changes::collection_to_write;
use crate::document::{Document, TextHit, TextQuery};
use crate::embedding::Embedding;
use crate::query::QueryTerms;
use crate::search::{COLUMNS, collection_id, filter, get, read_document};
use crate::snippet::Snippet;

/// Returns documents without a vector of a model, in the order in which they were added, after the one with this number and with
/// the numbers of theirs.
pub(crate) fn missing(
    connection: &Connection,
    collection: &str,
    model: &str,
    query: &TextQuery,
    after: i64,
) -> rusqlite::Result<Vec<(i64, Document)>> {
    let Some(id) = collection_id(connection, collection)? else {
        return Ok(Vec::new());
    };
    let mut values = vec![id.into(), after.into(), model.to_owned().into()];
    let mut select = format!(
        "SELECT {COLUMNS}, document.id FROM document
         LEFT JOIN vector ON vector.collection = document.collection AND vector.key = document.key
         WHERE document.collection = ? AND document.id > ? AND vector.model IS NOT ?"
    );
    filter(query, &mut select, &mut values);
    select.push_str(" ORDER BY document.id LIMIT ?");
    values.push(limit(query));
    let mut select = connection.prepare(&select)?;
    let found = select.query_map(params_from_iter(values), |row| {
        Ok((row.get(8)?, read_document(row)?))
    })?;
    found.collect()
}

fn limit(query: &TextQuery) -> Value {
    let limit = query.limit.min(TextQuery::MAX_LIMIT);
    i64::try_from(limit).unwrap_or(i64::MAX).into()
}

/// Returns how many documents have a vector of a model, and how many have none.
pub(crate) fn count(
    connection: &Connection,
    collection: &str,
    model: &str,
    query: &TextQuery,
) -> rusqlite::Result<(u64, u64)> {
    let Some(id) = collection_id(connection, collection)? else {
        return Ok((0, 0));
    };
    let mut values = vec![model.to_owned().into(), id.into()];
    let mut select = "SELECT count(vector.id), count(*) FROM document
         LEFT JOIN vector ON vector.collection = document.collection AND vector.key = document.key AND vector.model = ?
         WHERE document.collection = ?"
        .to_owned();
    filter(query, &mut select, &mut values);
    connection.query_row(&select, params_from_iter(values), |row| {
        let (with, all): (i64, i64) = (row.get(0)?, row.get(1)?);
        Ok((with.cast_unsigned(), (all - with).cast_unsigned()))
    })
}

/// Stores vectors of documents, but not of those that have changed meanwhile.
pub(crate) fn put_of_documents(
    transaction: &Transaction<'_>,
    collection: &str,
    model: &str,
    vectors: &[(Document, Embedding)],
) -> rusqlite::Result<()> {
    let Some(id) = collection_id(transaction, collection)? else {
        return Ok(());
    };
    let mut insert = transaction.prepare(
        "INSERT INTO vector (collection, key, model, numbers)
         SELECT collection, key, ?2, ?3 FROM document
         WHERE collection = ?1 AND key = ?4 AND title = ?5 AND text = ?6
         ON CONFLICT (collection, key) DO UPDATE SET model = ?2, numbers = ?3",
    )?;
    for (document, vector) in vectors {
        let Document {
            key, title, text, ..
        } = document;
        insert.execute(params![id, model, vector.to_bytes(), key, title, text])?;
    }
    Ok(())
}

/// Finds the documents whose vectors are the most similar to one.
pub(crate) fn nearest(
    connection: &Connection,
    collection: &str,
    model: &str,
    query: &TextQuery,
    (question, least): (&Embedding, f32),
) -> rusqlite::Result<Vec<TextHit>> {
    let Some(id) = collection_id(connection, collection)? else {
        return Ok(Vec::new());
    };
    let mut values = vec![id.into(), model.to_owned().into()];
    let mut select = "SELECT vector.key, vector.numbers FROM vector
         JOIN document ON document.collection = vector.collection AND document.key = vector.key
         WHERE vector.collection = ? AND vector.model = ?"
        .to_owned();
    filter(query, &mut select, &mut values);
    select.push_str(" ORDER BY document.id");
    let mut select = connection.prepare(&select)?;
    let mut rows = select.query(params_from_iter(values))?;
    let mut near: Vec<(f32, String)> = Vec::new();
    while let Some(row) = rows.next()? {
        let similarity = question.similarity(row.get_ref(1)?.as_blob()?);
        if similarity >= least {
            near.push((similarity, row.get(0)?));
        }
    }
    near.sort_by(|one, other| other.0.total_cmp(&one.0));
    near.truncate(query.limit.min(TextQuery::MAX_LIMIT));
    let terms = QueryTerms::parse(&query.text);
    let mut hits = Vec::with_capacity(near.len());
    for (similarity, key) in near {
        if let Some(document) = get(connection, collection, &key)? {
            hits.push(TextHit {
                score: f64::from(similarity),
                snippet: Snippet::new(&document.text, &terms),
                document,
            });
        }
    }
    Ok(hits)
}

/// Returns the vectors of a collection without documents, by their keys.
pub(crate) fn load(
    connection: &Connection,
    collection: &str,
    model: &str,
) -> rusqlite::Result<HashMap<String, Embedding>> {
    let Some(id) = collection_id(connection, collection)? else {
        return Ok(HashMap::new());
    };
    let mut select = connection
        .prepare("SELECT key, numbers FROM vector WHERE collection = ?1 AND model = ?2")?;
    let rows = select.query_map(params![id, model], |row| {
        let numbers = row.get_ref(1)?.as_blob()?;
        Ok((row.get(0)?, Embedding::from_bytes(numbers)))
    })?;
    rows.collect()
}

/// Stores vectors of texts that are no documents, and removes those of other models and the oldest beyond a number.
pub(crate) fn put(
    transaction: &Transaction<'_>,
    collection: &str,
    model: &str,
    vectors: &[(String, Embedding)],
    most: usize,
) -> rusqlite::Result<()> {
    let collection = collection_to_write(transaction, collection)?;
    let mut insert = transaction.prepare(
        "INSERT OR REPLACE INTO vector (collection, key, model, numbers) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (key, vector) in vectors {
        insert.execute(params![collection, key, model, vector.to_bytes()])?;
    }
    let remove = "DELETE FROM vector WHERE collection = ?1 AND (model <> ?2 OR id NOT IN
         (SELECT id FROM vector WHERE collection = ?1 AND model = ?2 ORDER BY id DESC LIMIT ?3))";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    transaction.execute(remove, params![collection, model, most])?;
    Ok(())
}
