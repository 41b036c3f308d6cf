CREATE TABLE collection (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- What is indexed. The words of a document are in the table `terms_N` of its collection, under the id of the document.
CREATE TABLE document (
    id INTEGER PRIMARY KEY,
    collection INTEGER NOT NULL,
    key TEXT NOT NULL,
    source TEXT NOT NULL,
    scope TEXT NOT NULL,
    kind TEXT NOT NULL,
    time INTEGER NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    data TEXT NOT NULL,
    UNIQUE (collection, key)
) STRICT;
CREATE INDEX document_source ON document (collection, source);

-- How far a source has been read.
CREATE TABLE source (
    collection INTEGER NOT NULL,
    name TEXT NOT NULL,
    position INTEGER NOT NULL,
    stamp TEXT NOT NULL,
    PRIMARY KEY (collection, name)
) STRICT, WITHOUT ROWID;
