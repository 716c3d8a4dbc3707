-- +goose Up
-- The jobs move to the queue of all background work, and so do those that replicas of the release
-- before still add.
-- +goose StatementBegin
CREATE FUNCTION chore_to_work() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO work (id, kind, subject, args, due_at, attempts, running, dead, periodic, error)
    VALUES (NEW.id,
        CASE NEW.kind WHEN 1 THEN 'match_book' WHEN 2 THEN 'match_request' WHEN 3 THEN 'notify_book_gone' WHEN 4 THEN 'match_searches' WHEN 5 THEN 'forget_hits' WHEN 6 THEN 'notify_price_drop' WHEN 7 THEN 'post_import' ELSE 'kind ' || NEW.kind END,
        NEW.subject, json_build_object('key', NEW.key, 'after', NEW.after)::text,
        CASE NEW.due_at WHEN 0 THEN (extract(epoch FROM now()) * 1000000)::bigint ELSE NEW.due_at END,
        NEW.attempts, 0, NEW.dead, 0, NEW.error);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER chores_to_work BEFORE INSERT ON chores FOR EACH ROW EXECUTE FUNCTION chore_to_work();
WITH waiting AS (DELETE FROM chores RETURNING *) INSERT INTO chores SELECT * FROM waiting;
