-- +goose Up
-- Statistics are counted when somebody looks at them, see docs/adr/0048. So nothing else counts.
DROP TRIGGER IF EXISTS books_tallied;
DROP TRIGGER IF EXISTS books_moved;
DROP TRIGGER IF EXISTS orders_tallied;
DROP TRIGGER IF EXISTS orders_cancelled;
DROP TRIGGER IF EXISTS money_tallied;
DROP TRIGGER IF EXISTS fees_tallied;
DROP TRIGGER IF EXISTS users_tallied;
DROP TRIGGER IF EXISTS users_gone;
DROP TRIGGER IF EXISTS books_tallied_at_university;
DROP TRIGGER IF EXISTS books_moved_at_university;
DROP TRIGGER IF EXISTS books_left_university;
DROP TRIGGER IF EXISTS books_joined_university;
DROP TRIGGER IF EXISTS orders_tallied_at_university;
DROP TRIGGER IF EXISTS orders_cancelled_at_university;
DROP TRIGGER IF EXISTS entries_tallied_at_university;
DROP TRIGGER IF EXISTS users_tallied_at_university;
DROP TRIGGER IF EXISTS users_left_university;
DROP TRIGGER IF EXISTS users_joined_university;
DROP INDEX course_sales_busiest;
DROP INDEX campus_course_sales_busiest;
DROP VIEW recount;
DROP VIEW campus_recount;
DROP TABLE hour_tallies;
DROP TABLE tallies;
DROP TABLE course_sales;
DROP TABLE campus_tallies;
DROP TABLE campus_course_sales;

-- For SQLite, an index has all columns of a statement only if it has those of its own condition, too.

-- Books and sales by day, of all universities or of one.
CREATE INDEX books_posted ON books (created_at, university_key);
CREATE INDEX orders_sold ON orders (created_at, university_key, status) WHERE status > 0;
-- The money by day, see guarding_statistics_days.go.
CREATE INDEX orders_charged ON orders (verified_at, university_key, price, fee) WHERE verified_at <> 0;
CREATE INDEX orders_refunded ON orders (cancelled_at, university_key, price, fee, verified_at) WHERE verified_at <> 0 AND cancelled_at <> 0;
CREATE INDEX orders_paid_directly ON orders (delivered_at, university_key, price, verified_at) WHERE verified_at = 0 AND delivered_at <> 0;
-- The median of what sales have waited for, and the sales of each course with their spellings. Both serve
-- all universities or one, which had an index each.
CREATE INDEX orders_by_wait ON orders (waited, university_key, status) WHERE status > 0;
CREATE INDEX orders_by_course ON orders (course_key, course, university_key, status) WHERE status > 0;
DROP INDEX IF EXISTS orders_waited;
DROP INDEX IF EXISTS orders_university_waited;
DROP INDEX IF EXISTS orders_course;
