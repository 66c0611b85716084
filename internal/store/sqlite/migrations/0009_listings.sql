-- +goose Up

-- A listing by state reads what it answers with, however many are in other states.
-- pending_by_account and pending_by_project are not needed beside these; they can go
-- when no program of an older version runs any more.
CREATE INDEX bundles_by_account_state ON bundles (account_id, status, created_at, id);
CREATE INDEX bundles_by_project_state ON bundles (project_id, account_id, status, created_at, id);
CREATE INDEX runs_by_account_state ON runs (account_id, status, created_at, id);
CREATE INDEX runs_by_project_state ON runs (project_id, status, created_at, id);

INSERT INTO schema_terms (version, oldest) VALUES (9, 5);
