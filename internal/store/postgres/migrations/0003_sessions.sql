-- +goose Up

CREATE TABLE sessions (
    hash       BYTEA  PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    browser    TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX sessions_by_account ON sessions (account_id, seen_at);
CREATE INDEX sessions_to_sweep ON sessions (expires_at);

-- A link without an account (to set up, or to invite) has NULL there.
CREATE TABLE links (
    hash       BYTEA  PRIMARY KEY,
    kind       TEXT   NOT NULL CHECK (kind IN ('set_up', 'invite', 'reset')),
    account_id TEXT COLLATE "C" REFERENCES accounts (id) ON DELETE CASCADE,
    email      TEXT   NOT NULL,
    plan       TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT
);

CREATE INDEX links_by_account ON links (account_id);
CREATE INDEX links_to_sweep ON links (expires_at);

-- A bucket that was locked and never saved has count 0.
CREATE TABLE guesses (
    bucket  TEXT COLLATE "C" PRIMARY KEY,
    count   BIGINT NOT NULL,
    last_at BIGINT NOT NULL
);

CREATE INDEX guesses_to_sweep ON guesses (last_at);

-- For the usage of an account, day by day.
CREATE INDEX bundles_by_download ON bundles (account_id, downloaded_at) WHERE status = 'downloaded';
