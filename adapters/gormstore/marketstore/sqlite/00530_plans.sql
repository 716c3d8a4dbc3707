-- +goose Up
-- The indexes of lists have the seller, so that a list without one's own books skips them within
-- the index: reading the row of each made every list of a seller of thousands cost ten times as much.
CREATE INDEX books_newest ON books (id, price, grade, seller_id) WHERE status = 0;
CREATE INDEX books_university_newest ON books (university_key, id, price, grade, seller_id) WHERE status = 0;
CREATE INDEX books_cheapest ON books (grade, price, id DESC, seller_id) WHERE status = 0;
CREATE INDEX books_university_cheapest ON books (university_key, grade, price, id DESC, seller_id) WHERE status = 0;
DROP INDEX books_listed;
DROP INDEX books_university;
DROP INDEX books_grade_price;
DROP INDEX books_university_grade_price;

-- A student's orders in one status, newest first, and what they sum up to.
CREATE INDEX orders_of_buyer_in_status ON orders (buyer_id, status, id, price, fee);
CREATE INDEX orders_of_seller_in_status ON orders (seller_id, status, id, price);
CREATE INDEX orders_withdrawn ON orders (seller_id, cancelled_by) WHERE status = -1; -- the sales that a seller has cancelled
