-- +goose Up
-- For IN with more than two values SQLite fills a table each time that it checks a row.
-- What is allowed stays as it was, so no row needs to be looked at.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(sql,
    'status IN (0, 1, 2, 3, 5)', 'status = 0 OR status = 1 OR status = 2 OR status = 3 OR status = 5'),
    'status IN (1, 2, 3)', 'status = 1 OR status = 2 OR status = 3')
WHERE type = 'table' AND name = 'books';
UPDATE sqlite_schema SET sql = replace(sql,
    'status IN (1, 2, 3, -1)', 'status = 1 OR status = 2 OR status = 3 OR status = -1')
WHERE type = 'table' AND name = 'orders';
PRAGMA writable_schema = RESET;

-- +goose Down
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(sql,
    'status = 0 OR status = 1 OR status = 2 OR status = 3 OR status = 5', 'status IN (0, 1, 2, 3, 5)'),
    'status = 1 OR status = 2 OR status = 3', 'status IN (1, 2, 3)')
WHERE type = 'table' AND name = 'books';
UPDATE sqlite_schema SET sql = replace(sql,
    'status = 1 OR status = 2 OR status = 3 OR status = -1', 'status IN (1, 2, 3, -1)')
WHERE type = 'table' AND name = 'orders';
PRAGMA writable_schema = RESET;
