-- +goose Up
-- When a place is open, as OpenStreetMap writes it, see meeting.OpeningHours; empty: not known.
ALTER TABLE meeting_places ADD COLUMN opening_hours TEXT NOT NULL DEFAULT '';
