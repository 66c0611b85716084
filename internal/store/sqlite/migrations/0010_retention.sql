-- +goose Up

-- For records whose time is over: runs that have ended, and bundles that are gone.
CREATE INDEX runs_by_end ON runs (finished_at, id) WHERE finished_at IS NOT NULL AND untold = 0;
CREATE INDEX gone_bundles_by_time ON bundles (coalesce(downloaded_at, expired_at), id) WHERE status <> 'pending_download';

INSERT INTO schema_terms (version, oldest) VALUES (10, 5);
