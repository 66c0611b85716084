-- +goose Up

-- Whoever takes a run asks, for each of those that wait, how many its account
-- has running and whether its project has one: without reading all that run.
CREATE INDEX runs_running_by_account ON runs (account_id) WHERE status = 'running';
CREATE INDEX runs_running_by_project ON runs (project_id) WHERE status = 'running';

INSERT INTO schema_terms (version, oldest) VALUES (6, 5);
