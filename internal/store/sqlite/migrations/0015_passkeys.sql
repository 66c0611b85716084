-- +goose Up

-- Public keys that people sign in with. record is the whole credential, as JSON.
CREATE TABLE passkeys (
    id         TEXT    NOT NULL PRIMARY KEY,
    account_id TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name       TEXT    NOT NULL,
    host       TEXT    NOT NULL,
    record     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    used_at    INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX passkeys_by_account ON passkeys (account_id, created_at);

-- What a browser was asked and has yet to answer.
CREATE TABLE challenges (
    hash       BLOB    NOT NULL PRIMARY KEY,
    state      TEXT    NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX challenges_to_sweep ON challenges (expires_at);

INSERT INTO schema_terms (version, oldest) VALUES (15, 5);
