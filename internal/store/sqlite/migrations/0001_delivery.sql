-- +goose Up

CREATE TABLE accounts (
    id            TEXT    NOT NULL PRIMARY KEY,
    email         TEXT    NOT NULL UNIQUE,
    plan          TEXT    NOT NULL,
    password_hash TEXT    NOT NULL,
    admin         INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    pending_bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
    prefix       TEXT    NOT NULL PRIMARY KEY,
    account_id   TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name         TEXT    NOT NULL,
    hash         BLOB    NOT NULL,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER,
    expires_at   INTEGER,
    revoked_at   INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX api_keys_by_account ON api_keys (account_id, created_at, prefix);

-- Rows may be long (the memory document), so this table keeps its row ids: the
-- index that finds a project stays small.
CREATE TABLE projects (
    id              TEXT    NOT NULL PRIMARY KEY,
    account_id      TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name            TEXT    NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    revision        INTEGER NOT NULL,
    pack_blob       TEXT    NOT NULL,
    pack_files      INTEGER NOT NULL,
    pack_bytes      INTEGER NOT NULL,
    pack_size       INTEGER NOT NULL,
    pack_sha256     BLOB    NOT NULL,
    state           TEXT    NOT NULL,
    memory          TEXT    NOT NULL,
    memory_revision INTEGER NOT NULL
) STRICT;

CREATE INDEX projects_by_account ON projects (account_id, created_at, id);

CREATE TABLE bundles (
    id            TEXT    NOT NULL PRIMARY KEY,
    account_id    TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    project_id    TEXT    NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    generation_id TEXT    NOT NULL,
    status        TEXT    NOT NULL CHECK (status IN ('pending_download', 'downloaded', 'expired')),
    file_count    INTEGER NOT NULL,
    size          INTEGER NOT NULL,
    sha256        BLOB    NOT NULL,
    blob          TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL,
    downloaded_at INTEGER,
    expired_at    INTEGER
) STRICT, WITHOUT ROWID;

-- Listings go by time. A change of state leaves these two alone: they hold every
-- bundle there ever was, and moving an entry from one end to another would cost
-- more the larger they are.
CREATE INDEX bundles_by_account ON bundles (account_id, created_at, id);
CREATE INDEX bundles_by_project ON bundles (project_id, account_id, created_at, id);

-- Pending bundles are few beside the others, and what is asked most is asked of
-- them: the newest of an account or of a project, and those that are due.
CREATE INDEX pending_by_account ON bundles (account_id, created_at, id) WHERE status = 'pending_download';
CREATE INDEX pending_by_project ON bundles (project_id, account_id, created_at, id) WHERE status = 'pending_download';
CREATE INDEX pending_by_expiry ON bundles (expires_at, id) WHERE status = 'pending_download';

-- Counters in several rows for each state: transactions of different accounts
-- seldom meet in one, where a database lets them run side by side.
CREATE TABLE bundle_tally (
    shard  INTEGER NOT NULL,
    status TEXT    NOT NULL,
    count  INTEGER NOT NULL,
    bytes  INTEGER NOT NULL,
    PRIMARY KEY (shard, status)
) STRICT, WITHOUT ROWID;

CREATE TABLE limit_windows (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    operation  TEXT NOT NULL,
    admitted   TEXT NOT NULL,
    PRIMARY KEY (account_id, operation)
) STRICT, WITHOUT ROWID;

-- An answer is there when answer_status is not NULL. ends_at is when the entry
-- is over: the end of the lease, or of the answer once there is one.
CREATE TABLE idempotencies (
    account_id    TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    scope         TEXT    NOT NULL,
    key           TEXT    NOT NULL,
    request       BLOB    NOT NULL,
    fence         INTEGER NOT NULL,
    lease         INTEGER,
    answer_status INTEGER,
    answer_header TEXT,
    answer_body   BLOB,
    expires_at    INTEGER,
    ends_at       INTEGER NOT NULL,
    PRIMARY KEY (account_id, scope, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotencies_to_sweep ON idempotencies (ends_at);

CREATE TABLE blob_ledger (
    key    TEXT    NOT NULL PRIMARY KEY,
    kind   TEXT    NOT NULL CHECK (kind IN ('intent', 'garbage')),
    due_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX blob_ledger_due ON blob_ledger (kind, due_at, key);

CREATE TABLE jobs (
    name        TEXT    NOT NULL PRIMARY KEY,
    due_at      INTEGER NOT NULL,
    lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
