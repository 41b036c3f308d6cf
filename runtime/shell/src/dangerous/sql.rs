//! SQL statements that remove tables of a database.

use super::arguments::Arguments;
use super::danger::{Danger, grave};
use crate::name_list::NameList;

const CLIENTS: NameList = NameList::new(
    "psql mysql mariadb sqlite3 sqlite mysqladmin sqlcmd cockroach clickhouse-client duckdb usql \
    mycli",
);
const OBJECTS: [&str; 4] = ["table", "database", "schema", "index"];

/// Reports whether a word is a kind of object; case is ignored.
fn is_object(word: &str) -> bool {
    OBJECTS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Reports whether a word is a keyword that removes the object named after it; case is ignored.
fn is_removal(word: &str) -> bool {
    word.eq_ignore_ascii_case("drop") || word.eq_ignore_ascii_case("truncate")
}

pub(super) fn find(program: &str, arguments: &Arguments<'_, '_>) -> Option<Danger> {
    let removes = if is_removal(program) {
        is_object(arguments.first())
    } else {
        CLIENTS.has(program) && arguments.texts().any(destroys)
    };
    removes.then(|| grave("it removes tables of a database"))
}

/// Reports whether a text contains a statement that removes a table.
fn destroys(text: &str) -> bool {
    let mut follows_removal = false;
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .any(|word| std::mem::replace(&mut follows_removal, is_removal(word)) && is_object(word))
}
