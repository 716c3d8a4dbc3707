-- +goose Up
-- The university at which a book was sold: its admins look after the order.
ALTER TABLE orders ADD COLUMN university TEXT NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN university_key TEXT NOT NULL DEFAULT '';
UPDATE orders SET university = b.university, university_key = b.university_key FROM books b WHERE b.id = orders.book_id;
-- The lists of the admins of a university: its orders, those and its books in a status.
CREATE INDEX orders_university ON orders (university_key, id);
CREATE INDEX orders_university_status ON orders (university_key, status, id);
CREATE INDEX books_university_status ON books (university_key, status, id) WHERE status <> 0;
