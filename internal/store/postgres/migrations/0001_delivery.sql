-- +goose Up

-- Texts that are compared or sorted are so by their bytes, as on every database
-- that the service knows: hence COLLATE "C".

CREATE TABLE accounts (
    id            TEXT COLLATE "C" PRIMARY KEY,
    email         TEXT COLLATE "C" NOT NULL UNIQUE,
    plan          TEXT    NOT NULL,
    password_hash TEXT    NOT NULL,
    admin         BOOLEAN NOT NULL,
    created_at    BIGINT  NOT NULL,
    pending_bytes BIGINT  NOT NULL
);

CREATE TABLE api_keys (
    prefix       TEXT COLLATE "C" PRIMARY KEY,
    account_id   TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name         TEXT   NOT NULL,
    hash         BYTEA  NOT NULL,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT,
    expires_at   BIGINT,
    revoked_at   BIGINT
);

CREATE INDEX api_keys_by_account ON api_keys (account_id, created_at, prefix);

CREATE TABLE projects (
    id              TEXT COLLATE "C" PRIMARY KEY,
    account_id      TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name            TEXT   NOT NULL,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    revision        BIGINT NOT NULL,
    pack_blob       TEXT   NOT NULL,
    pack_files      BIGINT NOT NULL,
    pack_bytes      BIGINT NOT NULL,
    pack_size       BIGINT NOT NULL,
    pack_sha256     BYTEA  NOT NULL,
    state           TEXT   NOT NULL,
    memory          TEXT   NOT NULL,
    memory_revision BIGINT NOT NULL
);

CREATE INDEX projects_by_account ON projects (account_id, created_at, id);

CREATE TABLE bundles (
    id            TEXT COLLATE "C" PRIMARY KEY,
    account_id    TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    project_id    TEXT COLLATE "C" NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    generation_id TEXT   NOT NULL,
    status        TEXT   NOT NULL CHECK (status IN ('pending_download', 'downloaded', 'expired')),
    file_count    BIGINT NOT NULL,
    size          BIGINT NOT NULL,
    sha256        BYTEA  NOT NULL,
    blob          TEXT   NOT NULL,
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL,
    downloaded_at BIGINT,
    expired_at    BIGINT
);

-- Listings go by time; what is asked most is asked of the pending bundles, which
-- are few beside the others.
CREATE INDEX bundles_by_account ON bundles (account_id, created_at, id);
CREATE INDEX bundles_by_project ON bundles (project_id, account_id, created_at, id);
CREATE INDEX pending_by_account ON bundles (account_id, created_at, id) WHERE status = 'pending_download';
CREATE INDEX pending_by_project ON bundles (project_id, account_id, created_at, id) WHERE status = 'pending_download';
CREATE INDEX pending_by_expiry ON bundles (expires_at, id) WHERE status = 'pending_download';

-- Counters in several rows for each state: transactions of different accounts
-- seldom meet in one.
CREATE TABLE bundle_tally (
    shard  INTEGER NOT NULL,
    status TEXT    NOT NULL,
    count  BIGINT  NOT NULL,
    bytes  BIGINT  NOT NULL,
    PRIMARY KEY (shard, status)
);

-- Room is left in the pages of tables whose rows are written again and again:
-- the new version of a row then lies beside the old one and no index moves.
CREATE TABLE limit_windows (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    operation  TEXT COLLATE "C" NOT NULL,
    admitted   BIGINT[] NOT NULL,
    PRIMARY KEY (account_id, operation)
) WITH (fillfactor = 50);

-- An answer is there when answer_status is not NULL. ends_at is when the entry
-- is over: the end of the lease, or of the answer once there is one. An entry
-- that was locked and never saved has fence 0.
CREATE TABLE idempotencies (
    account_id    TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    scope         TEXT COLLATE "C" NOT NULL,
    key           TEXT COLLATE "C" NOT NULL,
    request       BYTEA  NOT NULL,
    fence         BIGINT NOT NULL,
    lease         BIGINT,
    answer_status BIGINT,
    answer_header TEXT,
    answer_body   BYTEA,
    expires_at    BIGINT,
    ends_at       BIGINT NOT NULL,
    PRIMARY KEY (account_id, scope, key)
);

CREATE INDEX idempotencies_to_sweep ON idempotencies (ends_at);

CREATE TABLE blob_ledger (
    key    TEXT COLLATE "C" PRIMARY KEY,
    kind   TEXT   NOT NULL CHECK (kind IN ('intent', 'garbage')),
    due_at BIGINT NOT NULL
);

CREATE INDEX blob_ledger_due ON blob_ledger (kind, due_at, key);

CREATE TABLE jobs (
    name        TEXT COLLATE "C" PRIMARY KEY,
    due_at      BIGINT NOT NULL,
    lease_until BIGINT NOT NULL
);
