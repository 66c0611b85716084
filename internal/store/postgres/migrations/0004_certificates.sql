-- +goose Up

-- Certificates of an ACME authority, their keys, and what is needed to get them.
CREATE TABLE certificate_files (
    name       TEXT COLLATE "C" PRIMARY KEY,
    content    BYTEA  NOT NULL,
    changed_at BIGINT NOT NULL
);

CREATE TABLE certificate_locks (
    name        TEXT COLLATE "C" PRIMARY KEY,
    owner       TEXT   NOT NULL,
    lease_until BIGINT NOT NULL
);
