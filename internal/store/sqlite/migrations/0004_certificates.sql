-- +goose Up

-- Certificates of an ACME authority, their keys, and what is needed to get them.
CREATE TABLE certificate_files (
    name       TEXT    NOT NULL PRIMARY KEY,
    content    BLOB    NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE certificate_locks (
    name        TEXT    NOT NULL PRIMARY KEY,
    owner       TEXT    NOT NULL,
    lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
