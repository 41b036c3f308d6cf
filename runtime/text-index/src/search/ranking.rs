//! Which documents match best. Of words that most documents have, only the latest matches are ranked: to rank a document
//! costs as much as to find a hundred of them.

use std::collections::HashMap;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::filter;
use crate::document::TextQuery;
use crate::query::QueryTerms;

/// The greatest number of documents that one expression ranks.
const MAX_RANKED: i64 = 2_000;

/// A document by its id, and its rank, which is smaller for better matches.
type Ranked = (i64, f64);

/// A query of a collection.
struct Ranking<'c> {
    connection: &'c Connection,
    collection: i64,
    query: &'c TextQuery,
    /// The first and the last id of the documents that are searched.
    ids: (i64, i64),
}

/// Ranks the documents that match a query, the best first.
///
/// Where too many match, these are ranked: the latest with a word that few documents have, the latest with all words, and, if
/// that is too few, the latest of all. Of documents with a phrase, the latest are ranked.
pub(super) fn rank(
    connection: &Connection,
    collection: i64,
    query: &TextQuery,
    terms: &QueryTerms,
) -> rusqlite::Result<Vec<Ranked>> {
    let Some(ids) = id_range(connection, collection, query)? else {
        return Ok(Vec::new());
    };
    let ranking = Ranking {
        connection,
        collection,
        query,
        ids,
    };
    let limit = query.limit.min(TextQuery::MAX_LIMIT);
    let all = terms.expression();
    let mut found = HashMap::new();
    // To find a phrase costs as much as to rank what has it.
    if terms.has_phrases() || !ranking.matches_many(&all)? {
        ranking.add_latest(&all, &mut found)?;
        return Ok(best(found, limit));
    }
    let mut rare = terms.words();
    for word in std::mem::take(&mut rare) {
        if ranking.is_rare(&word)? {
            rare.push(word);
        }
    }
    if !rare.is_empty() {
        ranking.add_latest(&terms.expression_with(&rare, " OR "), &mut found)?;
    }
    if let Some(strict) = terms.strict_expression() {
        ranking.add_latest(&strict, &mut found)?;
    }
    if found.len() < limit {
        ranking.add_latest(&all, &mut found)?;
    }
    Ok(best(found, limit))
}

/// Returns the range of ids of the documents of a source, or of all; `None` if the source has none.
fn id_range(
    connection: &Connection,
    collection: i64,
    query: &TextQuery,
) -> rusqlite::Result<Option<(i64, i64)>> {
    let Some(source) = &query.source else {
        return Ok(Some((i64::MIN, i64::MAX)));
    };
    let select = "SELECT min(id), max(id) FROM document WHERE collection = ?1 AND source = ?2";
    connection.query_row(select, rusqlite::params![collection, source], |row| {
        let (first, last): (Option<i64>, Option<i64>) = (row.get(0)?, row.get(1)?);
        Ok(first.zip(last))
    })
}

impl Ranking<'_> {
    /// Returns the documents that an expression matches and the query asks for: the part of a statement after its columns,
    /// and its values.
    fn matches(&self, expression: &str) -> (String, Vec<Value>) {
        let id = self.collection;
        let mut values = vec![
            Value::from(expression.to_owned()),
            Value::from(self.ids.0),
            Value::from(self.ids.1),
        ];
        // The tables are joined in this order, in which documents are only read that match.
        let mut part = format!(
            "FROM terms_{id} CROSS JOIN document ON document.id = terms_{id}.rowid
             WHERE terms_{id} MATCH ? AND terms_{id}.rowid >= ? AND terms_{id}.rowid <= ?"
        );
        filter(self.query, &mut part, &mut values);
        (part, values)
    }

    /// Returns whether an expression matches more documents than are ranked.
    fn matches_many(&self, expression: &str) -> rusqlite::Result<bool> {
        let (part, mut values) = self.matches(expression);
        values.push(Value::from(MAX_RANKED));
        let select = format!("SELECT document.id {part} LIMIT 1 OFFSET ?");
        let mut select = self.connection.prepare(&select)?;
        select.exists(params_from_iter(values))
    }

    /// Returns whether few documents have a word.
    fn is_rare(&self, word: &str) -> rusqlite::Result<bool> {
        let id = self.collection;
        let select =
            format!("SELECT rowid FROM terms_{id} WHERE terms_{id} MATCH ? LIMIT 1 OFFSET ?");
        let values = [Value::from(word.to_owned()), Value::from(MAX_RANKED)];
        let mut select = self.connection.prepare(&select)?;
        let is_common = select.exists(params_from_iter(values))?;
        Ok(!is_common)
    }

    /// Adds the latest documents that an expression matches, each with its best rank.
    fn add_latest(&self, expression: &str, found: &mut HashMap<i64, f64>) -> rusqlite::Result<()> {
        let id = self.collection;
        let (part, mut values) = self.matches(expression);
        // A match in the title counts three times, one of a part of an identifier less than a whole word. The column `rank`
        // would be computed for all documents that match.
        let select = format!(
            "SELECT document.id, bm25(terms_{id}, 3.0, 1.0, 0.7) {part}
             ORDER BY terms_{id}.rowid DESC LIMIT ?"
        );
        values.push(Value::from(MAX_RANKED));
        let mut select = self.connection.prepare(&select)?;
        let mut rows = select.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            let rank: f64 = row.get(1)?;
            let best = found.entry(row.get(0)?).or_insert(rank);
            *best = best.min(rank);
        }
        Ok(())
    }
}

/// Returns the best documents, the best first.
fn best(found: HashMap<i64, f64>, limit: usize) -> Vec<Ranked> {
    let mut found: Vec<Ranked> = found.into_iter().collect();
    found.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
    found.truncate(limit);
    found
}
