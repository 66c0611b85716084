-- +goose Up

CREATE TABLE sessions (
    hash       BLOB    NOT NULL PRIMARY KEY,
    account_id TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    browser    TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_account ON sessions (account_id, seen_at);
CREATE INDEX sessions_to_sweep ON sessions (expires_at);

-- A link without an account (to set up, or to invite) has NULL there.
CREATE TABLE links (
    hash       BLOB    NOT NULL PRIMARY KEY,
    kind       TEXT    NOT NULL CHECK (kind IN ('set_up', 'invite', 'reset')),
    account_id TEXT    REFERENCES accounts (id) ON DELETE CASCADE,
    email      TEXT    NOT NULL,
    plan       TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX links_by_account ON links (account_id);
CREATE INDEX links_to_sweep ON links (expires_at);

CREATE TABLE guesses (
    bucket  TEXT    NOT NULL PRIMARY KEY,
    count   INTEGER NOT NULL,
    last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX guesses_to_sweep ON guesses (last_at);

-- For the usage of an account, day by day.
CREATE INDEX bundles_by_download ON bundles (account_id, downloaded_at) WHERE status = 'downloaded';
