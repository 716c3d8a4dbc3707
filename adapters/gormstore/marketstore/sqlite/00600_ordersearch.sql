-- +goose Up
-- An admin's search for a part of a title reads this index of parts of three characters in place of all
-- orders, as user_search of the auth service does for people.
CREATE VIRTUAL TABLE order_search USING fts5(title, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram');
INSERT INTO order_search (rowid, title) SELECT id, name_key FROM orders;
INSERT INTO order_search (order_search) VALUES ('optimize');

-- +goose StatementBegin
CREATE TRIGGER orders_indexed AFTER INSERT ON orders BEGIN
    INSERT INTO order_search (rowid, title) VALUES (NEW.id, NEW.name_key);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER orders_reindexed AFTER UPDATE OF name_key ON orders WHEN OLD.name_key <> NEW.name_key BEGIN
    DELETE FROM order_search WHERE rowid = OLD.id;
    INSERT INTO order_search (rowid, title) VALUES (NEW.id, NEW.name_key);
END;
-- +goose StatementEnd
