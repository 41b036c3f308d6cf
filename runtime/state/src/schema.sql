CREATE TABLE work (
    -- Never used again after a row is removed, so that a claim of a removed row matches no other row.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    payload TEXT NOT NULL,
    due INTEGER NOT NULL,
    -- When the work may be claimed: `due` where it has no holder, the end of the lease where it has one.
    ready INTEGER NOT NULL,
    holder TEXT,
    -- How often the work has been claimed.
    epoch INTEGER NOT NULL DEFAULT 0,
    UNIQUE (kind, key)
) STRICT;
CREATE INDEX work_ready ON work (kind, ready, id);

-- Values that tools store; `scope` has the bytes of all keys and values of a scope.
CREATE TABLE value (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    value BLOB NOT NULL,
    UNIQUE (scope, key)
) STRICT;
CREATE TABLE scope (
    name TEXT PRIMARY KEY NOT NULL,
    bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
