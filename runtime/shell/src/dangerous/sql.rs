//! Statements that remove the tables of a database.

use super::arguments::Arguments;
use super::danger::{Danger, grave};

const CLIENTS: [&str; 12] = [
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "sqlite",
    "mysqladmin",
    "sqlcmd",
    "cockroach",
    "clickhouse-client",
    "duckdb",
    "usql",
    "mycli",
];
const OBJECTS: [&str; 4] = ["table", "database", "schema", "index"];

pub(super) fn find(program: &str, arguments: &Arguments<'_, '_>) -> Option<Danger> {
    let statement =
        if program.eq_ignore_ascii_case("drop") || program.eq_ignore_ascii_case("truncate") {
            let object = arguments.first();
            OBJECTS
                .iter()
                .any(|known| object.eq_ignore_ascii_case(known))
        } else if CLIENTS.contains(&program) {
            arguments.texts().any(destroys)
        } else {
            false
        };
    statement.then(|| grave("it removes tables of a database"))
}

/// Reports whether a text has a statement that removes a table.
pub(super) fn destroys(text: &str) -> bool {
    let mut before = "";
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .any(|word| {
            let verb =
                before.eq_ignore_ascii_case("drop") || before.eq_ignore_ascii_case("truncate");
            before = word;
            verb && OBJECTS.iter().any(|known| word.eq_ignore_ascii_case(known))
        })
}
