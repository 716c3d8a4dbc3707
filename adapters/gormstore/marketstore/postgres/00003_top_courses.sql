-- +goose Up
SELECT 'only SQLite has an index here: a course has several slots, which are summed up';

-- +goose Down
SELECT 'nothing to undo';
