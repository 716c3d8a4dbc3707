-- +goose Up
-- What the dashboard shows is counted by the tables themselves, in the
-- transaction of whoever changes them. kind: 1 books in a status (key); then per
-- UTC day (key, days since 1970): 2 books posted, 3 standing sales, 4 people,
-- 5 money moved, 6 fees; 7 standing sales by whole hours from listing to sale
-- (key); 8 standing sales of a course (word).
-- A tally is the sum of its slots: as many as transactions wanted it at once.
CREATE TABLE tallies (
    slot BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind INTEGER NOT NULL,
    key  BIGINT NOT NULL,
    word TEXT COLLATE "C" NOT NULL,
    n    BIGINT NOT NULL
);
CREATE INDEX tallies_kind ON tallies (kind, key, word);

-- What the tallies should be: to fill them, and for the check of the ledger.
CREATE VIEW recount AS
SELECT 1 AS kind, status::BIGINT AS key, ''::TEXT AS word, count(*) AS n FROM books GROUP BY status
UNION ALL
SELECT 2, created_at / 86400000000, '', count(*) FROM books GROUP BY 2
UNION ALL
SELECT 3, created_at / 86400000000, '', count(*) FROM orders WHERE status > 0 GROUP BY 2
UNION ALL
SELECT 4, created_at / 86400000000, '', count(*) FROM users WHERE deleted_at IS NULL GROUP BY 2
UNION ALL
SELECT 5, at / 86400000000, '', sum(amount)::BIGINT FROM ledger WHERE account = 2 AND movement <> 3 GROUP BY 2
UNION ALL
SELECT 6, at / 86400000000, '', sum(amount)::BIGINT FROM ledger WHERE account = 3 GROUP BY 2
UNION ALL
SELECT 7, greatest(waited, 0) / 3600000000, '', count(*) FROM orders WHERE status > 0 GROUP BY 2
UNION ALL
SELECT 8, 0, course_key, count(*) FROM orders WHERE status > 0 GROUP BY course_key;

-- +goose StatementBegin
DO $$
BEGIN
    LOCK TABLE users, books, orders, ledger IN SHARE ROW EXCLUSIVE MODE; -- nobody writes between the count and the triggers
    INSERT INTO tallies (kind, key, word, n) SELECT kind, key, word, n FROM recount;
END $$;
-- +goose StatementEnd

-- tally adds to a slot that nobody else has in hand, or to a new one: it never
-- waits, so it cannot be part of a deadlock.
-- +goose StatementBegin
CREATE FUNCTION tally(of_kind INTEGER, of_key BIGINT, of_word TEXT, delta BIGINT) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    free BIGINT;
BEGIN
    SELECT slot INTO free FROM tallies WHERE kind = of_kind AND key = of_key AND word = of_word LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
        UPDATE tallies SET n = n + delta WHERE slot = free;
    ELSE
        INSERT INTO tallies (kind, key, word, n) VALUES (of_kind, of_key, of_word, delta);
    END IF;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION tally_book() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM tally(2, NEW.created_at / 86400000000, '', 1);
    ELSE
        PERFORM tally(1, OLD.status, '', -1);
    END IF;
    PERFORM tally(1, NEW.status, '', 1);
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION tally_order() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    delta BIGINT := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    PERFORM tally(3, NEW.created_at / 86400000000, '', delta);
    PERFORM tally(7, greatest(NEW.waited, 0) / 3600000000, '', delta);
    PERFORM tally(8, 0, NEW.course_key, delta);
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION tally_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tally(CASE NEW.account WHEN 3 THEN 6 ELSE 5 END, NEW.at / 86400000000, '', NEW.amount);
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION tally_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tally(4, NEW.created_at / 86400000000, '', CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER books_tallied AFTER INSERT ON books FOR EACH ROW EXECUTE FUNCTION tally_book();
CREATE TRIGGER books_moved AFTER UPDATE OF status ON books FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION tally_book();
CREATE TRIGGER orders_tallied AFTER INSERT ON orders FOR EACH ROW WHEN (NEW.status > 0) EXECUTE FUNCTION tally_order();
CREATE TRIGGER orders_cancelled AFTER UPDATE OF status ON orders FOR EACH ROW WHEN (OLD.status > 0 AND NEW.status < 0) EXECUTE FUNCTION tally_order();
CREATE TRIGGER entries_tallied AFTER INSERT ON ledger FOR EACH ROW
    WHEN (NEW.account = 3 OR NEW.account = 2 AND NEW.movement <> 3) EXECUTE FUNCTION tally_entry();
CREATE TRIGGER users_tallied AFTER INSERT ON users FOR EACH ROW WHEN (NEW.deleted_at IS NULL) EXECUTE FUNCTION tally_person();
CREATE TRIGGER users_gone AFTER UPDATE OF deleted_at ON users FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION tally_person();

-- Nothing else asked for these.
DROP INDEX books_created;
DROP INDEX orders_created;
DROP INDEX ledger_at;

-- +goose Down
CREATE INDEX ledger_at ON ledger (at);
CREATE INDEX orders_created ON orders (created_at) WHERE status > 0;
CREATE INDEX books_created ON books (created_at);
DROP TRIGGER users_gone ON users;
DROP TRIGGER users_tallied ON users;
DROP TRIGGER entries_tallied ON ledger;
DROP TRIGGER orders_cancelled ON orders;
DROP TRIGGER orders_tallied ON orders;
DROP TRIGGER books_moved ON books;
DROP TRIGGER books_tallied ON books;
DROP FUNCTION tally_person;
DROP FUNCTION tally_entry;
DROP FUNCTION tally_order;
DROP FUNCTION tally_book;
DROP FUNCTION tally;
DROP VIEW recount;
DROP TABLE tallies;
