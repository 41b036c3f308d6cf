//! Which documents match best. Of words that most documents have, only the latest matches are ranked: to rank a document
//! costs as much as to find a hundred of them.

use std::collections::HashMap;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, params_from_iter};

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
/// that is too few, the latest of all.
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
    let Some(latest) = ranking.first_ranked(&all)? else {
        return ranking.rank(&all, ids.0, limit);
    };
    let mut found = HashMap::new();
    let mut rare = terms.words();
    for word in std::mem::take(&mut rare) {
        if ranking.is_rare(&word)? {
            rare.push(word);
        }
    }
    if !rare.is_empty() {
        let expression = terms.expression_with(&rare, " OR ");
        ranking.add_latest(&expression, limit, &mut found)?;
    }
    if let Some(strict) = terms.strict_expression() {
        ranking.add_latest(&strict, limit, &mut found)?;
    }
    if found.len() < limit {
        add(&mut found, ranking.rank(&all, latest, limit)?);
    }
    let mut found: Vec<Ranked> = found.into_iter().collect();
    sort(&mut found);
    found.truncate(limit);
    Ok(found)
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
    /// Returns the documents that an expression matches and the query asks for, from an id on: the part of a statement after
    /// its columns, and its values.
    fn matches(&self, expression: &str, first: i64) -> (String, Vec<Value>) {
        let id = self.collection;
        let mut values = vec![
            Value::from(expression.to_owned()),
            Value::from(first),
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

    /// Returns the id of the first document that is ranked; `None` if all are that match.
    fn first_ranked(&self, expression: &str) -> rusqlite::Result<Option<i64>> {
        let id = self.collection;
        let (part, mut values) = self.matches(expression, self.ids.0);
        let select = format!(
            "SELECT terms_{id}.rowid {part} ORDER BY terms_{id}.rowid DESC LIMIT 1 OFFSET ?"
        );
        values.push(Value::from(MAX_RANKED));
        let mut select = self.connection.prepare(&select)?;
        select
            .query_row(params_from_iter(values), |row| row.get(0))
            .optional()
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

    /// Adds the best of the latest documents that an expression matches.
    fn add_latest(
        &self,
        expression: &str,
        limit: usize,
        found: &mut HashMap<i64, f64>,
    ) -> rusqlite::Result<()> {
        let first = self.first_ranked(expression)?.unwrap_or(self.ids.0);
        add(found, self.rank(expression, first, limit)?);
        Ok(())
    }

    /// Ranks the documents that an expression matches, from an id on.
    fn rank(&self, expression: &str, first: i64, limit: usize) -> rusqlite::Result<Vec<Ranked>> {
        let id = self.collection;
        let (part, mut values) = self.matches(expression, first);
        // A match in the title counts three times, one of a part of an identifier less than a whole word. The column `rank`
        // would be computed for documents that the filter leaves out, too.
        let select = format!(
            "SELECT document.id, bm25(terms_{id}, 3.0, 1.0, 0.7) AS score {part} ORDER BY score LIMIT ?"
        );
        values.push(Value::from(i64::try_from(limit).unwrap_or(i64::MAX)));
        let mut select = self.connection.prepare(&select)?;
        let found = select.query_map(params_from_iter(values), |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        let mut found: Vec<Ranked> = found.collect::<Result<_, _>>()?;
        sort(&mut found);
        Ok(found)
    }
}

/// Adds documents, each with its best rank.
fn add(found: &mut HashMap<i64, f64>, more: Vec<Ranked>) {
    for (id, rank) in more {
        let best = found.entry(id).or_insert(rank);
        *best = best.min(rank);
    }
}

fn sort(found: &mut [Ranked]) {
    found.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
}
