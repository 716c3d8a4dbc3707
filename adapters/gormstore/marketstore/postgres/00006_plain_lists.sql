-- +goose NO TRANSACTION
-- +goose Up
-- Lists by price, each in an index of its own. A step that was broken off leaves an
-- index that is not valid: it is made anew.
SET statement_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS books_cheapest;
CREATE INDEX CONCURRENTLY books_cheapest ON books (price, id DESC) WHERE status = 0;
DROP INDEX CONCURRENTLY IF EXISTS books_grade_price;
CREATE INDEX CONCURRENTLY books_grade_price ON books (grade, price, id DESC) INCLUDE (seller_id) WHERE status = 0;
DROP INDEX CONCURRENTLY IF EXISTS books_university_grade;
CREATE INDEX CONCURRENTLY books_university_grade ON books (university_key, grade, price, id DESC) INCLUDE (seller_id) WHERE status = 0;
-- Each search reads all entries that are not merged yet.
ALTER INDEX book_search_terms SET (gin_pending_list_limit = 256); -- kB
RESET statement_timeout;

-- +goose Down
ALTER INDEX book_search_terms RESET (gin_pending_list_limit);
DROP INDEX books_university_grade;
DROP INDEX books_grade_price;
DROP INDEX books_cheapest;
