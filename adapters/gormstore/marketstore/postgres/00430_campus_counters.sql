-- +goose Up
-- The counters of each university, for the statistics of its admins. Those of the whole market
-- remain in tallies and course_sales.
SET LOCAL statement_timeout = 0; -- counting a large market takes longer than a statement may

-- Kinds and keys are those of tallies. People are counted under the name of the university in
-- their profiles, everything else under its key.
CREATE TABLE campus_tallies (
    slot       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    university TEXT COLLATE "C" NOT NULL,
    kind       INTEGER NOT NULL,
    key        BIGINT  NOT NULL,
    n          BIGINT  NOT NULL
);
CREATE INDEX campus_tallies_kind ON campus_tallies (university, kind, key);

-- The number of live orders for a course at a university.
CREATE TABLE campus_course_sales (
    university TEXT COLLATE "C" NOT NULL,
    course_key TEXT COLLATE "C" NOT NULL,
    sold       BIGINT NOT NULL,
    PRIMARY KEY (university, course_key)
);
CREATE INDEX campus_course_sales_busiest ON campus_course_sales (university, sold DESC, course_key) WHERE sold > 0;
CREATE INDEX orders_university_waited ON orders (university_key, waited) WHERE status > 0; -- the median of the middle hour

-- The expected counters: `octavo ledger check` compares them.
CREATE VIEW campus_recount AS
SELECT university_key AS university, 1 AS kind, status::BIGINT AS key, count(*) AS n FROM books WHERE university_key <> '' GROUP BY 1, 3
UNION ALL
SELECT university_key, 2, created_at / 900000000, count(*) FROM books WHERE university_key <> '' GROUP BY 1, 3
UNION ALL
SELECT university_key, 3, created_at / 900000000, count(*) FROM orders WHERE status > 0 AND university_key <> '' GROUP BY 1, 3
UNION ALL
SELECT university, 4, created_at / 900000000, count(*) FROM users WHERE deleted_at IS NULL AND university <> '' GROUP BY 1, 3
UNION ALL
SELECT university, 4, -1, count(*) FROM users WHERE deleted_at IS NULL AND university <> '' GROUP BY 1
UNION ALL
SELECT o.university_key, CASE l.account WHEN 3 THEN 6 ELSE 5 END, l.at / 900000000, sum(l.amount)::BIGINT FROM ledger l JOIN orders o ON o.id = l.order_id
    WHERE (l.account = 3 OR l.account = 2 AND l.movement <> 3) AND o.university_key <> '' GROUP BY 1, 2, 3
UNION ALL
SELECT o.university_key, CASE l.account WHEN 3 THEN 6 ELSE 5 END, -1, sum(l.amount)::BIGINT FROM ledger l JOIN orders o ON o.id = l.order_id
    WHERE (l.account = 3 OR l.account = 2 AND l.movement <> 3) AND o.university_key <> '' GROUP BY 1, 2
UNION ALL
SELECT university_key, 7, greatest(waited, 0) / 3600000000, count(*) FROM orders WHERE status > 0 AND university_key <> '' GROUP BY 1, 3;

-- tally_campus adds to a slot as tally does, and does nothing without a university.
-- +goose StatementBegin
CREATE FUNCTION tally_campus(of_university TEXT, of_kind INTEGER, of_key BIGINT, delta BIGINT) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    free BIGINT;
BEGIN
    IF COALESCE(of_university, '') = '' THEN
        RETURN;
    END IF;
    SELECT slot INTO free FROM campus_tallies
        WHERE university = of_university AND kind = of_kind AND key = of_key LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
        UPDATE campus_tallies SET n = n + delta WHERE slot = free;
    ELSE
        INSERT INTO campus_tallies (university, kind, key, n) VALUES (of_university, of_kind, of_key, delta);
    END IF;
END $$;
-- +goose StatementEnd

-- From here on nothing is written until all has been counted once.
LOCK TABLE users, books, orders, ledger IN SHARE ROW EXCLUSIVE MODE;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tally_book() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM tally(2, NEW.created_at / 900000000, 1);
        PERFORM tally_campus(NEW.university_key, 2, NEW.created_at / 900000000, 1);
    ELSE
        PERFORM tally(1, OLD.status, -1);
        PERFORM tally_campus(OLD.university_key, 1, OLD.status, -1);
    END IF;
    PERFORM tally(1, NEW.status, 1);
    PERFORM tally_campus(NEW.university_key, 1, NEW.status, 1);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- A book whose university is corrected. If its status changes as well, books_moved counts that.
-- +goose StatementBegin
CREATE FUNCTION tally_moved_book() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tally_campus(OLD.university_key, 2, OLD.created_at / 900000000, -1);
    PERFORM tally_campus(NEW.university_key, 2, NEW.created_at / 900000000, 1);
    IF OLD.status = NEW.status THEN
        PERFORM tally_campus(OLD.university_key, 1, OLD.status, -1);
        PERFORM tally_campus(NEW.university_key, 1, NEW.status, 1);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER books_changed_university AFTER UPDATE OF university_key ON books FOR EACH ROW
    WHEN (OLD.university_key <> NEW.university_key) EXECUTE FUNCTION tally_moved_book();

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tally_order() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    delta BIGINT := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    PERFORM tally(3, NEW.created_at / 900000000, delta);
    PERFORM tally(7, greatest(NEW.waited, 0) / 3600000000, delta);
    PERFORM tally_campus(NEW.university_key, 3, NEW.created_at / 900000000, delta);
    PERFORM tally_campus(NEW.university_key, 7, greatest(NEW.waited, 0) / 3600000000, delta);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_course_sale() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    delta BIGINT := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO course_sales AS c VALUES (NEW.course_key, delta)
        ON CONFLICT (course_key) DO UPDATE SET sold = c.sold + excluded.sold;
    IF NEW.university_key <> '' THEN
        INSERT INTO campus_course_sales AS c VALUES (NEW.university_key, NEW.course_key, delta)
            ON CONFLICT (university, course_key) DO UPDATE SET sold = c.sold + excluded.sold;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tally_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    campus  TEXT;
    of_kind INTEGER := CASE NEW.account WHEN 3 THEN 6 ELSE 5 END;
BEGIN
    SELECT university_key INTO campus FROM orders WHERE id = NEW.order_id;
    PERFORM tally(of_kind, NEW.at / 900000000, NEW.amount);
    PERFORM tally(of_kind, -1, NEW.amount);
    PERFORM tally_campus(campus, of_kind, NEW.at / 900000000, NEW.amount);
    PERFORM tally_campus(campus, of_kind, -1, NEW.amount);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tally_person() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    delta  BIGINT := 1;
    campus TEXT   := NEW.university;
BEGIN
    IF TG_OP = 'UPDATE' THEN -- the person is deleted
        delta := -1;
        campus := OLD.university;
    END IF;
    PERFORM tally(4, NEW.created_at / 900000000, delta);
    PERFORM tally(4, -1, delta);
    PERFORM tally_campus(campus, 4, NEW.created_at / 900000000, delta);
    PERFORM tally_campus(campus, 4, -1, delta);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION tally_moved_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tally_campus(OLD.university, 4, NEW.created_at / 900000000, -1);
    PERFORM tally_campus(OLD.university, 4, -1, -1);
    PERFORM tally_campus(NEW.university, 4, NEW.created_at / 900000000, 1);
    PERFORM tally_campus(NEW.university, 4, -1, 1);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER users_changed_university AFTER UPDATE OF university ON users FOR EACH ROW
    WHEN (OLD.university IS DISTINCT FROM NEW.university AND OLD.deleted_at IS NULL AND NEW.deleted_at IS NULL)
    EXECUTE FUNCTION tally_moved_person();

INSERT INTO campus_tallies (university, kind, key, n) SELECT university, kind, key, n FROM campus_recount
    ORDER BY university, kind, key; -- so that the days of a chart are beside each other
INSERT INTO campus_course_sales (university, course_key, sold)
    SELECT university_key, course_key, count(*) FROM orders WHERE status > 0 AND university_key <> '' GROUP BY university_key, course_key;
DROP INDEX books_campus; -- for counting the books of a university
ANALYZE campus_tallies, campus_course_sales; -- or the planner takes them for small
