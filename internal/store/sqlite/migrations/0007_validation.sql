-- +goose Up

-- How what a run made was tried before it was delivered, as a JSON object.
ALTER TABLE runs ADD COLUMN validation TEXT;

INSERT INTO schema_terms (version, oldest) VALUES (7, 5);
