-- +goose Up

-- Who did what, when and from where. No foreign key: what was done with an account
-- stays when the account is gone.
CREATE TABLE audit_log (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    at         BIGINT NOT NULL,
    action     TEXT COLLATE "C" NOT NULL,
    account_id TEXT COLLATE "C" NOT NULL,
    email      TEXT COLLATE "C" NOT NULL,
    actor_kind TEXT COLLATE "C" NOT NULL,
    actor      TEXT COLLATE "C" NOT NULL,
    address    TEXT COLLATE "C" NOT NULL,
    subject    TEXT COLLATE "C" NOT NULL,
    detail     TEXT COLLATE "C" NOT NULL
);

CREATE INDEX audit_log_by_time ON audit_log (at, id);
CREATE INDEX audit_log_by_account ON audit_log (account_id, at, id);
CREATE INDEX audit_log_by_email ON audit_log (email, at, id);
CREATE INDEX audit_log_by_action ON audit_log (action, at, id);

-- One row at most: entries of this time and before may be removed, because theirs is
-- over. It only moves forward.
CREATE TABLE audit_horizon (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    at  BIGINT NOT NULL
);

-- The networks that keys were used from.
CREATE TABLE key_networks (
    prefix  TEXT COLLATE "C" NOT NULL REFERENCES api_keys (prefix) ON DELETE CASCADE,
    network TEXT COLLATE "C" NOT NULL,
    at      BIGINT NOT NULL,
    PRIMARY KEY (prefix, network)
);

-- The log is only ever added to. Entries go when the horizon has passed them, and not
-- otherwise.
-- +goose StatementBegin
CREATE FUNCTION audit_log_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.at <= coalesce((SELECT max(at) FROM audit_horizon), -1) THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION 'entries of the audit log cannot be changed, and are kept until their time is over';
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION audit_horizon_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF NEW.at >= OLD.at THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'the horizon of the audit log only moves forward';
END
$$;
-- +goose StatementEnd

CREATE TRIGGER audit_log_is_kept BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION audit_log_guard();
CREATE TRIGGER audit_log_is_not_emptied BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_guard();
CREATE TRIGGER audit_horizon_moves_forward BEFORE UPDATE OR DELETE ON audit_horizon
    FOR EACH ROW EXECUTE FUNCTION audit_horizon_guard();
CREATE TRIGGER audit_horizon_is_not_emptied BEFORE TRUNCATE ON audit_horizon
    FOR EACH STATEMENT EXECUTE FUNCTION audit_horizon_guard();

INSERT INTO schema_terms (version, oldest) VALUES (14, 5);
