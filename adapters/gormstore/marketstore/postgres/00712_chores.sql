-- +goose Up
-- The queue of earlier releases, empty since 00620.
DROP INDEX chores_dead;
DROP TABLE chores;
DROP FUNCTION chore_to_work();
