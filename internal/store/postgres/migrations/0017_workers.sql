-- +goose Up

-- The processes that work on runs, with the engine that each of them plays. One
-- whose lease has ended is dead.
CREATE TABLE workers (
    id     TEXT COLLATE "C" PRIMARY KEY,
    engine TEXT COLLATE "C" NOT NULL,
    lease  BIGINT NOT NULL
);

INSERT INTO schema_terms (version, oldest) VALUES (17, 5);
