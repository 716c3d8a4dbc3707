-- +goose Up
-- Statistics are counted when somebody looks at them, see docs/adr/0048. So nothing else counts.
-- The tables of the counters stay, for replicas of the release before: their dashboards stand still until they
-- are replaced.
LOCK TABLE users, books, orders, ledger IN ACCESS EXCLUSIVE MODE; -- in the order in which others lock them
DROP TRIGGER books_tallied ON books;
DROP TRIGGER books_moved ON books;
DROP TRIGGER books_changed_university ON books;
DROP TRIGGER orders_tallied ON orders;
DROP TRIGGER orders_cancelled ON orders;
DROP TRIGGER orders_counted ON orders;
DROP TRIGGER orders_uncounted ON orders;
DROP TRIGGER entries_tallied ON ledger;
DROP TRIGGER users_tallied ON users;
DROP TRIGGER users_gone ON users;
DROP TRIGGER users_changed_university ON users;
DROP FUNCTION tally_book(), tally_moved_book(), tally_order(), count_course_sale(), tally_entry(), tally_person(), tally_moved_person();
DROP FUNCTION tally(INTEGER, BIGINT, BIGINT), tally_campus(TEXT, INTEGER, BIGINT, BIGINT);
DROP VIEW recount, campus_recount;
