-- +goose Up
-- The cheapest first, and of one price the newest, all over and at a university. The
-- books of a course are sorted and narrowed in its index alone; those of a title are
-- found by book_search.
DROP INDEX books_price;
CREATE INDEX books_price ON books (price, id DESC) WHERE status = 0;
CREATE INDEX books_university_price ON books (university_key, price, id DESC) WHERE status = 0;
DROP INDEX books_course;
CREATE INDEX books_course ON books (course_key, id, price, grade, seller_id) WHERE status = 0;
DROP INDEX books_title;

-- +goose Down
CREATE INDEX books_title ON books (title_key, id) WHERE status = 0;
DROP INDEX books_course;
CREATE INDEX books_course ON books (course_key, id) WHERE status = 0;
DROP INDEX books_university_price;
DROP INDEX books_price;
CREATE INDEX books_price ON books (price, id) WHERE status = 0;
