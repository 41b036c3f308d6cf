-- Small records that processes change one at a time: a change names the version that it replaces.
CREATE TABLE record (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    value TEXT NOT NULL,
    UNIQUE (kind, key)
) STRICT;
