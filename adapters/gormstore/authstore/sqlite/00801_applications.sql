-- +goose Up
-- What applications that sign people in here can be set to.
ALTER TABLE clients ADD COLUMN pkce_optional INTEGER NOT NULL DEFAULT 0;
-- The secret before the present one works until a time, 0 if there is none.
ALTER TABLE clients ADD COLUMN previous_secret_hash BLOB NOT NULL DEFAULT X'0000000000000000000000000000000000000000000000000000000000000000';
ALTER TABLE clients ADD COLUMN previous_secret_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE clients ADD COLUMN require_acr TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN backchannel_logout_uri TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN frontchannel_logout_uri TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN logo_uri TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN policy_uri TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN tos_uri TEXT NOT NULL DEFAULT '';
