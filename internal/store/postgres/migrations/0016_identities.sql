-- +goose Up

-- Who somebody is at an OpenID provider, and whose account that opens.
CREATE TABLE identities (
    issuer     TEXT COLLATE "C" NOT NULL,
    subject    TEXT COLLATE "C" NOT NULL,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    email      TEXT   NOT NULL,
    linked_at  BIGINT NOT NULL,
    used_at    BIGINT,
    PRIMARY KEY (issuer, subject)
);

CREATE INDEX identities_by_account ON identities (account_id, linked_at);

-- Sign-ins at a provider that have begun. The account is that which an identity is
-- to be linked to; it is empty where somebody signs in.
CREATE TABLE identity_attempts (
    hash       BYTEA  PRIMARY KEY,
    account_id TEXT   NOT NULL,
    next       TEXT   NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX identity_attempts_to_sweep ON identity_attempts (expires_at);

-- For an invitation, by whom it is for.
CREATE INDEX links_by_email ON links (email);

INSERT INTO schema_terms (version, oldest) VALUES (16, 5);
