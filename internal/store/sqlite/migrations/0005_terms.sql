-- +goose Up

-- What a program has to know to work with this schema. Every migration from
-- here on adds a row: version is its own number, oldest that of the newest
-- migration that a program must know at least. One that only adds leaves oldest
-- as it was; one that takes away, or changes the meaning of what is there, says
-- which programs can do without.
CREATE TABLE schema_terms (
    version INTEGER NOT NULL PRIMARY KEY,
    oldest  INTEGER NOT NULL
) STRICT;

INSERT INTO schema_terms (version, oldest) VALUES (5, 5);

-- The data folders whose records were moved into this database.
CREATE TABLE origins (
    id       TEXT    NOT NULL PRIMARY KEY,
    moved_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
