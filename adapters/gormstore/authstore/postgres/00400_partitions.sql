-- +goose NO TRANSACTION
-- +goose Up
-- The audit log gets partitions by time, see docs/adr/0036. The table that there was becomes the
-- first of them, with its rows and indexes where they are. Its rows are read once, to check that they
-- belong there, while others write; only then all wait, for milliseconds. All statements can be repeated.
SET statement_timeout = 0;

-- The first partition ends with a quarter of a year, in a month or later: until the program has
-- created others. An id is the milliseconds since 2024, and 22 bits. A wrong clock may have made later ones.
-- +goose StatementBegin
DO $$
DECLARE
    newest BIGINT;
    ends TIMESTAMP := date_trunc('quarter', (now() AT TIME ZONE 'UTC') + interval '4 months');
BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = 'audit_entries'::regclass) = 'p' THEN
        RETURN;
    END IF;
    SELECT max(id) INTO newest FROM audit_entries;
    IF newest >= (extract(epoch FROM ends)::BIGINT * 1000 - 1704067200000) << 22 THEN
        ends := date_trunc('quarter', to_timestamp(((newest >> 22) + 1704067200000) / 1000) AT TIME ZONE 'UTC' + interval '3 months');
    END IF;
    ALTER TABLE audit_entries DROP CONSTRAINT IF EXISTS audit_entries_earlier;
    EXECUTE format('ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_earlier CHECK (id < %s) NOT VALID',
        (extract(epoch FROM ends)::BIGINT * 1000 - 1704067200000) << 22);
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$
BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = 'audit_entries'::regclass) <> 'p' THEN
        ALTER TABLE audit_entries VALIDATE CONSTRAINT audit_entries_earlier;
    END IF;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$
DECLARE
    ends TEXT;
BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = 'audit_entries'::regclass) = 'p' THEN
        RETURN;
    END IF;
    ends := substring((SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'audit_entries_earlier') FROM '\d+');
    ALTER TABLE audit_entries RENAME TO audit_entries_earlier;
    ALTER INDEX audit_entries_pkey RENAME TO audit_entries_earlier_pkey;
    ALTER INDEX audit_entries_actor RENAME TO audit_entries_earlier_actor;
    ALTER INDEX audit_entries_target RENAME TO audit_entries_earlier_target;
    ALTER INDEX audit_entries_action RENAME TO audit_entries_earlier_action;
    ALTER INDEX audit_entries_at RENAME TO audit_entries_earlier_at;
    CREATE TABLE audit_entries (
        id     BIGINT PRIMARY KEY,
        at     BIGINT NOT NULL,
        actor  BIGINT NOT NULL,
        action TEXT NOT NULL,
        target TEXT NOT NULL,
        ip     TEXT NOT NULL,
        detail TEXT NOT NULL
    ) PARTITION BY RANGE (id);
    CREATE INDEX audit_entries_actor ON audit_entries (actor, id);
    CREATE INDEX audit_entries_target ON audit_entries (target, id);
    CREATE INDEX audit_entries_action ON audit_entries (action, id);
    CREATE INDEX audit_entries_at ON audit_entries (at);
    EXECUTE format('ALTER TABLE audit_entries ATTACH PARTITION audit_entries_earlier FOR VALUES FROM (MINVALUE) TO (%s)', ends);
    EXECUTE format('CREATE TABLE audit_entries_later PARTITION OF audit_entries FOR VALUES FROM (%s) TO (MAXVALUE)', ends);
    ALTER TABLE audit_entries_earlier DROP CONSTRAINT audit_entries_earlier;
END $$;
-- +goose StatementEnd

RESET statement_timeout;
