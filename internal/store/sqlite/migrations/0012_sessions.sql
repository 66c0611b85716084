-- +goose Up

-- The address that a browser signed in from, for its owner to recognise.
ALTER TABLE sessions ADD COLUMN network TEXT NOT NULL DEFAULT '';

INSERT INTO schema_terms (version, oldest) VALUES (12, 5);
