-- +goose Up
-- Who is an admin because the claims of a service say so, and of which campus. What an admin has decided has no service.
ALTER TABLE users ADD COLUMN admin_by TEXT NOT NULL DEFAULT '';     -- the service; empty: not by a rule
ALTER TABLE users ADD COLUMN admin_campus TEXT NOT NULL DEFAULT ''; -- empty: as other admins
