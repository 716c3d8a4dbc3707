-- +goose NO TRANSACTION
-- +goose Up
-- The indexes of lists have the seller, so that a list without one's own books skips them within
-- the index: reading the row of each made every list of a seller of thousands cost ten times as much.
-- Others write in the meantime, and all statements can be repeated: an index that was not completed is
-- built anew.
SET statement_timeout = 0; -- a large index may take longer to build than a statement may
DROP INDEX CONCURRENTLY IF EXISTS books_newest;
CREATE INDEX CONCURRENTLY books_newest ON books (id, price, grade, seller_id) WHERE status = 0;
DROP INDEX CONCURRENTLY IF EXISTS books_university_newest;
CREATE INDEX CONCURRENTLY books_university_newest ON books (university_key, id, price, grade, seller_id) WHERE status = 0;
DROP INDEX CONCURRENTLY IF EXISTS books_cheapest;
CREATE INDEX CONCURRENTLY books_cheapest ON books (grade, price, id DESC, seller_id) WHERE status = 0;
DROP INDEX CONCURRENTLY IF EXISTS books_university_cheapest;
CREATE INDEX CONCURRENTLY books_university_cheapest ON books (university_key, grade, price, id DESC, seller_id) WHERE status = 0;
DROP INDEX CONCURRENTLY IF EXISTS books_listed;
DROP INDEX CONCURRENTLY IF EXISTS books_university;
DROP INDEX CONCURRENTLY IF EXISTS books_grade_price;
DROP INDEX CONCURRENTLY IF EXISTS books_university_grade_price;

-- A student's orders in one status, newest first, and what they sum up to.
DROP INDEX CONCURRENTLY IF EXISTS orders_of_buyer_in_status;
CREATE INDEX CONCURRENTLY orders_of_buyer_in_status ON orders (buyer_id, status, id, price, fee);
DROP INDEX CONCURRENTLY IF EXISTS orders_of_seller_in_status;
CREATE INDEX CONCURRENTLY orders_of_seller_in_status ON orders (seller_id, status, id, price);
-- The sales that a seller has cancelled.
DROP INDEX CONCURRENTLY IF EXISTS orders_withdrawn;
CREATE INDEX CONCURRENTLY orders_withdrawn ON orders (seller_id, cancelled_by) WHERE status = -1;

RESET statement_timeout;
