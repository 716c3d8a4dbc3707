-- +goose Up
-- The cheapest first, and of one price the newest, all over and at a university. The
-- books of a course or a title are sorted and narrowed in its index alone.
DROP INDEX books_price;
CREATE INDEX books_price ON books (price, id DESC) WHERE status = 0;
CREATE INDEX books_university_price ON books (university_key, price, id DESC) WHERE status = 0;
DROP INDEX books_course;
CREATE INDEX books_course ON books (course_key, id, price, grade, seller_id) WHERE status = 0;
DROP INDEX books_title;
CREATE INDEX books_title ON books (title_key, id, price, grade, seller_id) WHERE status = 0;

-- +goose Down
DROP INDEX books_title;
CREATE INDEX books_title ON books (title_key, id) WHERE status = 0;
DROP INDEX books_course;
CREATE INDEX books_course ON books (course_key, id) WHERE status = 0;
DROP INDEX books_university_price;
DROP INDEX books_price;
CREATE INDEX books_price ON books (price, id) WHERE status = 0;
