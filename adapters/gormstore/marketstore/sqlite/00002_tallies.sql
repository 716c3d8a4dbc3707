-- +goose Up
-- What the dashboard shows is counted by the tables themselves, in the
-- transaction of whoever changes them. kind: 1 books in a status (key); then per
-- UTC day (key, days since 1970): 2 books posted, 3 standing sales, 4 people,
-- 5 money moved, 6 fees; 7 standing sales by whole hours from listing to sale
-- (key); 8 standing sales of a course (word).
CREATE TABLE tallies (
    kind INTEGER NOT NULL,
    key  INTEGER NOT NULL,
    word TEXT    NOT NULL,
    n    INTEGER NOT NULL,
    PRIMARY KEY (kind, key, word)
) WITHOUT ROWID;

-- What the tallies should be: to fill them, and for the check of the ledger.
CREATE VIEW recount AS
SELECT 1 AS kind, status AS key, '' AS word, count(*) AS n FROM books GROUP BY status
UNION ALL
SELECT 2, created_at / 86400000000 AS day, '', count(*) FROM books GROUP BY day
UNION ALL
SELECT 3, created_at / 86400000000 AS day, '', count(*) FROM orders WHERE status > 0 GROUP BY day
UNION ALL
SELECT 4, created_at / 86400000000 AS day, '', count(*) FROM users WHERE deleted_at IS NULL GROUP BY day
UNION ALL
SELECT 5, at / 86400000000 AS day, '', sum(amount) FROM ledger WHERE account = 2 AND movement <> 3 GROUP BY day
UNION ALL
SELECT 6, at / 86400000000 AS day, '', sum(amount) FROM ledger WHERE account = 3 GROUP BY day
UNION ALL
SELECT 7, max(waited, 0) / 3600000000 AS hours, '', count(*) FROM orders WHERE status > 0 GROUP BY hours
UNION ALL
SELECT 8, 0, course_key, count(*) FROM orders WHERE status > 0 GROUP BY course_key;

INSERT INTO tallies (kind, key, word, n) SELECT kind, key, word, n FROM recount;

-- +goose StatementBegin
CREATE TRIGGER books_tallied AFTER INSERT ON books BEGIN
    INSERT INTO tallies VALUES (1, NEW.status, '', 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
    INSERT INTO tallies VALUES (2, NEW.created_at / 86400000000, '', 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER books_moved AFTER UPDATE OF status ON books WHEN OLD.status <> NEW.status BEGIN
    INSERT INTO tallies VALUES (1, OLD.status, '', -1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
    INSERT INTO tallies VALUES (1, NEW.status, '', 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER orders_tallied AFTER INSERT ON orders WHEN NEW.status > 0 BEGIN
    INSERT INTO tallies VALUES (3, NEW.created_at / 86400000000, '', 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
    INSERT INTO tallies VALUES (7, max(NEW.waited, 0) / 3600000000, '', 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
    INSERT INTO tallies VALUES (8, 0, NEW.course_key, 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER orders_cancelled AFTER UPDATE OF status ON orders WHEN OLD.status > 0 AND NEW.status < 0 BEGIN
    INSERT INTO tallies VALUES (3, OLD.created_at / 86400000000, '', -1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
    INSERT INTO tallies VALUES (7, max(OLD.waited, 0) / 3600000000, '', -1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
    INSERT INTO tallies VALUES (8, 0, OLD.course_key, -1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER money_tallied AFTER INSERT ON ledger WHEN NEW.account = 2 AND NEW.movement <> 3 BEGIN
    INSERT INTO tallies VALUES (5, NEW.at / 86400000000, '', NEW.amount) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER fees_tallied AFTER INSERT ON ledger WHEN NEW.account = 3 BEGIN
    INSERT INTO tallies VALUES (6, NEW.at / 86400000000, '', NEW.amount) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_tallied AFTER INSERT ON users WHEN NEW.deleted_at IS NULL BEGIN
    INSERT INTO tallies VALUES (4, NEW.created_at / 86400000000, '', 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_gone AFTER UPDATE OF deleted_at ON users WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL BEGIN
    INSERT INTO tallies VALUES (4, OLD.created_at / 86400000000, '', -1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd

-- Nothing else asked for these.
DROP INDEX books_created;
DROP INDEX orders_created;
DROP INDEX ledger_at;

-- +goose Down
CREATE INDEX ledger_at ON ledger (at);
CREATE INDEX orders_created ON orders (created_at) WHERE status > 0;
CREATE INDEX books_created ON books (created_at);
DROP TRIGGER users_gone;
DROP TRIGGER users_tallied;
DROP TRIGGER fees_tallied;
DROP TRIGGER money_tallied;
DROP TRIGGER orders_cancelled;
DROP TRIGGER orders_tallied;
DROP TRIGGER books_moved;
DROP TRIGGER books_tallied;
DROP VIEW recount;
DROP TABLE tallies;
