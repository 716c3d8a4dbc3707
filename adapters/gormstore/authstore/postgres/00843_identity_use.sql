-- +goose Up
-- When the subject last signed in. Nobody knows of before, so that counts from now on: nobody may be taken for somebody who left.
ALTER TABLE identities ADD COLUMN last_used_at BIGINT NOT NULL DEFAULT 0;
UPDATE identities SET last_used_at = CAST(EXTRACT(EPOCH FROM now()) * 1000000 AS BIGINT);
