-- +goose Up
-- A large table may take longer than a statement may.
SET LOCAL statement_timeout = 0;
-- What ended mails were about: it names people who may be erased since, and nothing reads it.
UPDATE outbox SET params = '{}' WHERE state <> 0 AND params <> '{}';
