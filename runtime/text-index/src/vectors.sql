-- The vectors of texts, by the embedding model that made them. A vector whose key is that of a document is one of the document,
-- and is removed when the document changes or is removed.
CREATE TABLE vector (
    id INTEGER PRIMARY KEY,
    collection INTEGER NOT NULL,
    key TEXT NOT NULL,
    model TEXT NOT NULL,
    numbers BLOB NOT NULL,
    UNIQUE (collection, key)
) STRICT;

CREATE TRIGGER vector_of_removed AFTER DELETE ON document BEGIN
    DELETE FROM vector WHERE collection = OLD.collection AND key = OLD.key;
END;

CREATE TRIGGER vector_of_changed AFTER UPDATE OF title, text ON document
WHEN OLD.title IS NOT NEW.title OR OLD.text IS NOT NEW.text BEGIN
    DELETE FROM vector WHERE collection = OLD.collection AND key = OLD.key;
END;
