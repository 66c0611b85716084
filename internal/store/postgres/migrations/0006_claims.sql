-- +goose Up

-- Whoever takes a run asks, for each of those that wait, how many its account
-- has running: without reading all that run. Whether its project has one is in
-- runs_one_a_project.
CREATE INDEX runs_running_by_account ON runs (account_id) WHERE status = 'running';

INSERT INTO schema_terms (version, oldest) VALUES (6, 5);
