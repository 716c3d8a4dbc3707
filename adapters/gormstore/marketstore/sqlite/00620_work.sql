-- +goose Up
-- The jobs move to the queue of all background work.
INSERT INTO work (id, kind, subject, args, due_at, attempts, running, dead, periodic, error)
SELECT id,
    CASE kind WHEN 1 THEN 'match_book' WHEN 2 THEN 'match_request' WHEN 3 THEN 'notify_book_gone' WHEN 4 THEN 'match_searches' WHEN 5 THEN 'forget_hits' WHEN 6 THEN 'notify_price_drop' WHEN 7 THEN 'post_import' ELSE 'kind ' || kind END,
    subject, json_object('key', key, 'after', after), CASE due_at WHEN 0 THEN CAST(strftime('%s', 'now') AS INTEGER) * 1000000 ELSE due_at END,
    attempts, 0, dead, 0, error
FROM chores;
DELETE FROM chores;
