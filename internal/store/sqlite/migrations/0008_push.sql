-- +goose Up

-- The push that made a project's state, as a JSON object; NULL where none did.
ALTER TABLE projects ADD COLUMN push TEXT;

INSERT INTO schema_terms (version, oldest) VALUES (8, 5);
