-- +goose Up
-- What ended mails were about: it names people who may be erased since, and nothing reads it.
UPDATE outbox SET params = '{}' WHERE state <> 0 AND params <> '{}';
