-- +goose Up

-- The processes that work on runs, with the engine that each of them plays. One
-- whose lease has ended is dead.
CREATE TABLE workers (
    id     TEXT    NOT NULL PRIMARY KEY,
    engine TEXT    NOT NULL,
    lease  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO schema_terms (version, oldest) VALUES (17, 5);
