-- +goose Up

-- Where a project's state comes from, as a JSON object; NULL where nobody wrote it down.
ALTER TABLE projects ADD COLUMN provenance TEXT;

-- Signed statements about bundles, in the JSON that was signed. Old bundles have none.
CREATE TABLE attestations (
    bundle_id TEXT NOT NULL PRIMARY KEY REFERENCES bundles (id) ON DELETE CASCADE,
    envelope  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO schema_terms (version, oldest) VALUES (11, 5);
