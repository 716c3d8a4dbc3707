-- +goose NO TRANSACTION
-- +goose Up
-- The indexes of statistics. Others write in the meantime, and all statements can be repeated: an index that was
-- not completed is built anew.
SET statement_timeout = 0; -- a large index may take longer to build than a statement may
-- Books and sales by day, of all universities or of one.
DROP INDEX CONCURRENTLY IF EXISTS books_posted;
CREATE INDEX CONCURRENTLY books_posted ON books (created_at, university_key);
DROP INDEX CONCURRENTLY IF EXISTS orders_sold;
CREATE INDEX CONCURRENTLY orders_sold ON orders (created_at, university_key) WHERE status > 0;
-- The money by day, see guarding_statistics_days.go.
DROP INDEX CONCURRENTLY IF EXISTS orders_charged;
CREATE INDEX CONCURRENTLY orders_charged ON orders (verified_at, university_key, price, fee) WHERE verified_at <> 0;
DROP INDEX CONCURRENTLY IF EXISTS orders_refunded;
CREATE INDEX CONCURRENTLY orders_refunded ON orders (cancelled_at, university_key, price, fee) WHERE verified_at <> 0 AND cancelled_at <> 0;
DROP INDEX CONCURRENTLY IF EXISTS orders_paid_directly;
CREATE INDEX CONCURRENTLY orders_paid_directly ON orders (delivered_at, university_key, price) WHERE verified_at = 0 AND delivered_at <> 0;
-- The median of what sales have waited for, and the sales of each course with their spellings. Both serve
-- all universities or one, which had an index each.
DROP INDEX CONCURRENTLY IF EXISTS orders_by_wait;
CREATE INDEX CONCURRENTLY orders_by_wait ON orders (waited, university_key) WHERE status > 0;
DROP INDEX CONCURRENTLY IF EXISTS orders_by_course;
CREATE INDEX CONCURRENTLY orders_by_course ON orders (course_key, course, university_key) WHERE status > 0;
DROP INDEX CONCURRENTLY IF EXISTS orders_waited;
DROP INDEX CONCURRENTLY IF EXISTS orders_university_waited;
DROP INDEX CONCURRENTLY IF EXISTS orders_course;

RESET statement_timeout;
