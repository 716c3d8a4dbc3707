-- +goose Up
CREATE INDEX tallies_courses ON tallies (n DESC, word) WHERE kind = 8;

-- +goose Down
DROP INDEX tallies_courses;
