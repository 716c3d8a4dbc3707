-- +goose Up
-- The currency of all amounts in this database, as ISO 4217: one row.
CREATE TABLE market_currency (
    id   INTEGER PRIMARY KEY CHECK (id = 1),
    code TEXT    NOT NULL
);
