-- +goose Up

-- Who ended a key because they had found it, as a JSON object; NULL where nobody did.
ALTER TABLE api_keys ADD COLUMN report TEXT;

INSERT INTO schema_terms (version, oldest) VALUES (13, 5);
