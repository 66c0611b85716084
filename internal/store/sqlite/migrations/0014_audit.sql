-- +goose Up

-- Who did what, when and from where. No foreign key: what was done with an account
-- stays when the account is gone.
CREATE TABLE audit_log (
    id         TEXT NOT NULL PRIMARY KEY,
    at         INTEGER NOT NULL,
    action     TEXT NOT NULL,
    account_id TEXT NOT NULL,
    email      TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor      TEXT NOT NULL,
    address    TEXT NOT NULL,
    subject    TEXT NOT NULL,
    detail     TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_log_by_time ON audit_log (at, id);
CREATE INDEX audit_log_by_account ON audit_log (account_id, at, id);
CREATE INDEX audit_log_by_email ON audit_log (email, at, id);
CREATE INDEX audit_log_by_action ON audit_log (action, at, id);

-- One row at most: entries of this time and before may be removed, because theirs is
-- over. It only moves forward.
CREATE TABLE audit_horizon (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The networks that keys were used from.
CREATE TABLE key_networks (
    prefix  TEXT NOT NULL REFERENCES api_keys (prefix) ON DELETE CASCADE,
    network TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (prefix, network)
) STRICT, WITHOUT ROWID;

-- The log is only ever added to. Entries go when the horizon has passed them, and not
-- otherwise.
-- +goose StatementBegin
CREATE TRIGGER audit_log_is_not_changed BEFORE UPDATE ON audit_log
BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log cannot be changed');
END;
-- +goose StatementEnd

-- INSERT OR REPLACE removes what is in its way without asking the trigger below.
-- +goose StatementBegin
CREATE TRIGGER audit_log_is_not_replaced BEFORE INSERT ON audit_log
WHEN EXISTS (SELECT 1 FROM audit_log WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log cannot be changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_log_is_kept BEFORE DELETE ON audit_log
WHEN OLD.at > coalesce((SELECT max(at) FROM audit_horizon), -1)
BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log are kept until their time is over');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_horizon_moves_forward BEFORE UPDATE ON audit_horizon
WHEN NEW.at < OLD.at
BEGIN
    SELECT RAISE(ABORT, 'the horizon of the audit log only moves forward');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_horizon_is_kept BEFORE DELETE ON audit_horizon
BEGIN
    SELECT RAISE(ABORT, 'the horizon of the audit log only moves forward');
END;
-- +goose StatementEnd

INSERT INTO schema_terms (version, oldest) VALUES (14, 5);
