-- +goose Up
-- The counters of each university, for the statistics of its admins. Those of the whole market
-- remain in tallies and course_sales.

-- Kinds and keys are those of tallies. People are counted under the name of the university in
-- their profiles, everything else under its key.
CREATE TABLE campus_tallies (
    university TEXT    NOT NULL,
    kind       INTEGER NOT NULL,
    key        INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (university, kind, key)
) WITHOUT ROWID;

-- The number of live orders for a course at a university.
CREATE TABLE campus_course_sales (
    university TEXT    NOT NULL,
    course_key TEXT    NOT NULL,
    sold       INTEGER NOT NULL,
    PRIMARY KEY (university, course_key)
) WITHOUT ROWID;
CREATE INDEX campus_course_sales_busiest ON campus_course_sales (university, sold DESC, course_key) WHERE sold > 0;
CREATE INDEX orders_university_waited ON orders (university_key, waited) WHERE status > 0; -- the median of the middle hour

-- The expected counters: `octavo ledger check` compares them.
CREATE VIEW campus_recount AS
SELECT university_key AS university, 1 AS kind, status AS key, count(*) AS n FROM books WHERE university_key <> '' GROUP BY university_key, status
UNION ALL
SELECT university_key, 2, created_at / 900000000 AS period, count(*) FROM books WHERE university_key <> '' GROUP BY university_key, period
UNION ALL
SELECT university_key, 3, created_at / 900000000 AS period, count(*) FROM orders WHERE status > 0 AND university_key <> '' GROUP BY university_key, period
UNION ALL
SELECT university, 4, created_at / 900000000 AS period, count(*) FROM users WHERE deleted_at IS NULL AND university <> '' GROUP BY university, period
UNION ALL
SELECT university, 4, -1, count(*) FROM users WHERE deleted_at IS NULL AND university <> '' GROUP BY university
UNION ALL
SELECT o.university_key, CASE l.account WHEN 3 THEN 6 ELSE 5 END AS of_kind, l.at / 900000000 AS period, sum(l.amount) FROM ledger l JOIN orders o ON o.id = l.order_id
    WHERE (l.account = 3 OR l.account = 2 AND l.movement <> 3) AND o.university_key <> '' GROUP BY o.university_key, of_kind, period
UNION ALL
SELECT o.university_key, CASE l.account WHEN 3 THEN 6 ELSE 5 END AS of_kind, -1, sum(l.amount) FROM ledger l JOIN orders o ON o.id = l.order_id
    WHERE (l.account = 3 OR l.account = 2 AND l.movement <> 3) AND o.university_key <> '' GROUP BY o.university_key, of_kind
UNION ALL
SELECT university_key, 7, max(waited, 0) / 3600000000 AS hours, count(*) FROM orders WHERE status > 0 AND university_key <> '' GROUP BY university_key, hours;

-- +goose StatementBegin
CREATE TRIGGER books_tallied_at_university AFTER INSERT ON books WHEN NEW.university_key <> '' BEGIN
    INSERT INTO campus_tallies VALUES (NEW.university_key, 1, NEW.status, 1), (NEW.university_key, 2, NEW.created_at / 900000000, 1)
        ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER books_moved_at_university AFTER UPDATE OF status, university_key ON books
    WHEN NEW.university_key <> '' AND OLD.university_key = NEW.university_key AND OLD.status <> NEW.status BEGIN
    INSERT INTO campus_tallies VALUES (NEW.university_key, 1, OLD.status, -1), (NEW.university_key, 1, NEW.status, 1)
        ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER books_left_university AFTER UPDATE OF university_key ON books
    WHEN OLD.university_key <> '' AND OLD.university_key <> NEW.university_key BEGIN
    INSERT INTO campus_tallies VALUES (OLD.university_key, 1, OLD.status, -1), (OLD.university_key, 2, OLD.created_at / 900000000, -1)
        ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER books_joined_university AFTER UPDATE OF university_key ON books
    WHEN NEW.university_key <> '' AND OLD.university_key <> NEW.university_key BEGIN
    INSERT INTO campus_tallies VALUES (NEW.university_key, 1, NEW.status, 1), (NEW.university_key, 2, NEW.created_at / 900000000, 1)
        ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER orders_tallied_at_university AFTER INSERT ON orders WHEN NEW.status > 0 AND NEW.university_key <> '' BEGIN
    INSERT INTO campus_tallies VALUES (NEW.university_key, 3, NEW.created_at / 900000000, 1), (NEW.university_key, 7, max(NEW.waited, 0) / 3600000000, 1)
        ON CONFLICT DO UPDATE SET n = n + excluded.n;
    INSERT INTO campus_course_sales VALUES (NEW.university_key, NEW.course_key, 1) ON CONFLICT DO UPDATE SET sold = sold + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER orders_cancelled_at_university AFTER UPDATE OF status ON orders
    WHEN OLD.status > 0 AND NEW.status < 0 AND OLD.university_key <> '' BEGIN
    INSERT INTO campus_tallies VALUES (OLD.university_key, 3, OLD.created_at / 900000000, -1), (OLD.university_key, 7, max(OLD.waited, 0) / 3600000000, -1)
        ON CONFLICT DO UPDATE SET n = n + excluded.n;
    UPDATE campus_course_sales SET sold = sold - 1 WHERE university = OLD.university_key AND course_key = OLD.course_key;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER entries_tallied_at_university AFTER INSERT ON ledger WHEN NEW.account = 3 OR NEW.account = 2 AND NEW.movement <> 3 BEGIN
    INSERT INTO campus_tallies SELECT o.university_key, CASE NEW.account WHEN 3 THEN 6 ELSE 5 END, period.key, NEW.amount
        FROM orders o, (SELECT NEW.at / 900000000 AS key UNION ALL SELECT -1) AS period WHERE o.id = NEW.order_id AND o.university_key <> ''
        ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_tallied_at_university AFTER INSERT ON users WHEN NEW.deleted_at IS NULL AND NEW.university <> '' BEGIN
    INSERT INTO campus_tallies VALUES (NEW.university, 4, NEW.created_at / 900000000, 1), (NEW.university, 4, -1, 1)
        ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_left_university AFTER UPDATE OF deleted_at, university ON users
    WHEN OLD.deleted_at IS NULL AND OLD.university <> '' AND (NEW.deleted_at IS NOT NULL OR NEW.university IS NOT OLD.university) BEGIN
    INSERT INTO campus_tallies VALUES (OLD.university, 4, OLD.created_at / 900000000, -1), (OLD.university, 4, -1, -1)
        ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_joined_university AFTER UPDATE OF university ON users
    WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NULL AND NEW.university <> '' AND NEW.university IS NOT OLD.university BEGIN
    INSERT INTO campus_tallies VALUES (NEW.university, 4, NEW.created_at / 900000000, 1), (NEW.university, 4, -1, 1)
        ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd

INSERT INTO campus_tallies (university, kind, key, n) SELECT university, kind, key, n FROM campus_recount;
INSERT INTO campus_course_sales (university, course_key, sold)
    SELECT university_key, course_key, count(*) FROM orders WHERE status > 0 AND university_key <> '' GROUP BY university_key, course_key;
DROP INDEX books_campus; -- for counting the books of a university
