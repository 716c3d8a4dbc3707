-- +goose Up
-- What tallies and campus_tallies count by quarters of an hour, by whole hours since 1970: a
-- quarter of the rows to add up for a day that begins and ends on one. Counters of the whole
-- market have no university.
CREATE TABLE hour_tallies (
    university TEXT    NOT NULL,
    kind       INTEGER NOT NULL,
    key        INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (university, kind, key)
) WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER tallies_added AFTER INSERT ON tallies WHEN NEW.kind BETWEEN 2 AND 6 AND NEW.key >= 0 BEGIN
    INSERT INTO hour_tallies VALUES ('', NEW.kind, NEW.key / 4, NEW.n) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tallies_changed AFTER UPDATE OF n ON tallies WHEN NEW.kind BETWEEN 2 AND 6 AND NEW.key >= 0 BEGIN
    UPDATE hour_tallies SET n = n + NEW.n - OLD.n WHERE university = '' AND kind = NEW.kind AND key = NEW.key / 4;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER campus_tallies_added AFTER INSERT ON campus_tallies WHEN NEW.kind BETWEEN 2 AND 6 AND NEW.key >= 0 BEGIN
    INSERT INTO hour_tallies VALUES (NEW.university, NEW.kind, NEW.key / 4, NEW.n) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER campus_tallies_changed AFTER UPDATE OF n ON campus_tallies WHEN NEW.kind BETWEEN 2 AND 6 AND NEW.key >= 0 BEGIN
    UPDATE hour_tallies SET n = n + NEW.n - OLD.n WHERE university = NEW.university AND kind = NEW.kind AND key = NEW.key / 4;
END;
-- +goose StatementEnd

INSERT INTO hour_tallies (university, kind, key, n)
    SELECT '', kind, key / 4 AS hour, sum(n) FROM tallies WHERE kind BETWEEN 2 AND 6 AND key >= 0 GROUP BY kind, hour;
INSERT INTO hour_tallies (university, kind, key, n)
    SELECT university, kind, key / 4 AS hour, sum(n) FROM campus_tallies WHERE kind BETWEEN 2 AND 6 AND key >= 0 GROUP BY university, kind, hour;

-- The same triggers of posts and sales as before, with one row a statement: SQLite would first collect
-- several in an ephemeral table, now that their insertion is a trigger's event.
DROP TRIGGER books_tallied_at_university;
DROP TRIGGER books_moved_at_university;
DROP TRIGGER orders_tallied_at_university;
-- +goose StatementBegin
CREATE TRIGGER books_tallied_at_university AFTER INSERT ON books WHEN NEW.university_key <> '' BEGIN
    INSERT INTO campus_tallies VALUES (NEW.university_key, 1, NEW.status, 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
    INSERT INTO campus_tallies VALUES (NEW.university_key, 2, NEW.created_at / 900000000, 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER books_moved_at_university AFTER UPDATE OF status, university_key ON books
    WHEN NEW.university_key <> '' AND OLD.university_key = NEW.university_key AND OLD.status <> NEW.status BEGIN
    INSERT INTO campus_tallies VALUES (NEW.university_key, 1, OLD.status, -1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
    INSERT INTO campus_tallies VALUES (NEW.university_key, 1, NEW.status, 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER orders_tallied_at_university AFTER INSERT ON orders WHEN NEW.status > 0 AND NEW.university_key <> '' BEGIN
    INSERT INTO campus_tallies VALUES (NEW.university_key, 3, NEW.created_at / 900000000, 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
    INSERT INTO campus_tallies VALUES (NEW.university_key, 7, max(NEW.waited, 0) / 3600000000, 1) ON CONFLICT DO UPDATE SET n = n + excluded.n;
    INSERT INTO campus_course_sales VALUES (NEW.university_key, NEW.course_key, 1) ON CONFLICT DO UPDATE SET sold = sold + 1;
END;
-- +goose StatementEnd
