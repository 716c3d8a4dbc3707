-- +goose Up
-- An admin's search for a part of an address or a name reads this index of parts of three characters
-- in place of all users.
CREATE VIRTUAL TABLE user_search USING fts5(terms, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram');
INSERT INTO user_search (rowid, terms) SELECT id, email || ' ' || COALESCE(name_key, '') FROM users WHERE deleted_at IS NULL;

-- +goose StatementBegin
CREATE TRIGGER users_indexed AFTER INSERT ON users WHEN NEW.deleted_at IS NULL BEGIN
    INSERT INTO user_search (rowid, terms) VALUES (NEW.id, NEW.email || ' ' || COALESCE(NEW.name_key, ''));
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_reindexed AFTER UPDATE OF email, name_key ON users
WHEN OLD.email IS NOT NEW.email OR OLD.name_key IS NOT NEW.name_key BEGIN
    DELETE FROM user_search WHERE rowid = OLD.id;
    INSERT INTO user_search (rowid, terms) SELECT NEW.id, NEW.email || ' ' || COALESCE(NEW.name_key, '') WHERE NEW.email IS NOT NULL;
END;
-- +goose StatementEnd
