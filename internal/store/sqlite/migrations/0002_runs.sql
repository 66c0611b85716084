-- +goose Up

-- Rows may be long (the prompt), so this table keeps its row ids. error and cost
-- are JSON objects or NULL. untold is 1 from the end of a run until the event
-- log is known to hold its terminal event.
CREATE TABLE runs (
    id                  TEXT    NOT NULL PRIMARY KEY,
    account_id          TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    project_id          TEXT    NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    prompt              TEXT    NOT NULL,
    constraints         TEXT    NOT NULL,
    status              TEXT    NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    epoch               INTEGER NOT NULL,
    lease               INTEGER,
    losses              INTEGER NOT NULL,
    cancel_requested_at INTEGER,
    bundle_id           TEXT    NOT NULL,
    error               TEXT,
    cost                TEXT,
    last_event          INTEGER NOT NULL,
    untold              INTEGER NOT NULL,
    created_at          INTEGER NOT NULL,
    started_at          INTEGER,
    finished_at         INTEGER
) STRICT;

CREATE INDEX runs_by_account ON runs (account_id, created_at, id);
CREATE INDEX runs_by_project ON runs (project_id, created_at, id);
CREATE INDEX runs_by_start ON runs (started_at) WHERE started_at IS NOT NULL;

-- The queue, the work in progress and the endings not yet told are small parts
-- of a table that grows: each has an index of its own size.
CREATE INDEX runs_queued ON runs (created_at, id, account_id, project_id) WHERE status = 'queued';
CREATE INDEX runs_running ON runs (lease, id, account_id, project_id) WHERE status = 'running';
CREATE INDEX runs_untold ON runs (finished_at, id) WHERE untold = 1;
