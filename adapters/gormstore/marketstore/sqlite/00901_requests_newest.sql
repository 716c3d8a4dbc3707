-- +goose Up
CREATE INDEX requests_newest ON requests (id DESC, isbn, owner_id) WHERE status = 0 AND isbn <> ''; -- what many people look for
