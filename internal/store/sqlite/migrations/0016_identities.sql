-- +goose Up

-- Who somebody is at an OpenID provider, and whose account that opens.
CREATE TABLE identities (
    issuer     TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    account_id TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    email      TEXT    NOT NULL,
    linked_at  INTEGER NOT NULL,
    used_at    INTEGER,
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX identities_by_account ON identities (account_id, linked_at);

-- Sign-ins at a provider that have begun. The account is that which an identity is
-- to be linked to; it is empty where somebody signs in.
CREATE TABLE identity_attempts (
    hash       BLOB    NOT NULL PRIMARY KEY,
    account_id TEXT    NOT NULL,
    next       TEXT    NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX identity_attempts_to_sweep ON identity_attempts (expires_at);

-- For an invitation, by whom it is for.
CREATE INDEX links_by_email ON links (email);

INSERT INTO schema_terms (version, oldest) VALUES (16, 5);
