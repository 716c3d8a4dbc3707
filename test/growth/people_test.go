//go:build linux

package growth_test

import (
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/text"
)

// The people of a demo to whom things are given: to one a share of the campus, to the other a few.
const busy, student = 3, 4

// The course of a thirtieth of all books, and the title of another thirtieth.
const bigCourse, bigTitle, bigISBN = "GRO 101", "Growth of Trees", "9783319110790"

// share is which part of a campus the busy person has: 10,000 of 300,000 books.
const share = 30

// few is how many things the student has.
const few = 40

// mostNotices is how many notifications of a person the program keeps at most.
const mostNotices = 1_100

// gifts are statements that give n things to the person p. Books, sales, requests and reports are
// the newest; matches, messages and notifications are five times as many.
var gifts = []string{
	"UPDATE books SET seller_id = {p} WHERE id IN (SELECT id FROM books WHERE status = 0 AND seller_id > 4 ORDER BY id DESC LIMIT {n})",
	"UPDATE orders SET seller_id = {p} WHERE id IN (SELECT id FROM orders WHERE buyer_id > 4 AND seller_id > 4 ORDER BY id DESC LIMIT {n} / 4)",
	"UPDATE orders SET buyer_id = {p} WHERE id IN (SELECT id FROM orders WHERE buyer_id > 4 AND seller_id > 4 ORDER BY id DESC LIMIT {n} / 4)",
	"UPDATE books SET seller_id = {p} WHERE id IN (SELECT book_id FROM orders WHERE seller_id = {p} AND status > 0)",
	"UPDATE books SET buyer_id = {p} WHERE id IN (SELECT book_id FROM orders WHERE buyer_id = {p} AND status > 0)",
	"UPDATE orders SET status = 3, handover = 1, verified_at = {now}, delivered_at = {now} WHERE buyer_id = {p} AND status > 0",
	"UPDATE orders SET status = 1, handover = 0 WHERE id IN (SELECT id FROM orders WHERE buyer_id = {p} AND status > 0 ORDER BY id DESC LIMIT 2)",
	"UPDATE orders SET status = 2 WHERE id IN (SELECT id FROM orders WHERE buyer_id = {p} AND status = 3 ORDER BY id DESC LIMIT 2)",
	"UPDATE orders SET handover = 2 WHERE id = (SELECT min(id) FROM orders WHERE buyer_id = {p} AND status = 1)",
	"UPDATE books SET status = (SELECT o.status FROM orders o WHERE o.book_id = books.id AND o.status > 0) WHERE id IN (SELECT book_id FROM orders WHERE buyer_id = {p} AND status > 0)",
	"UPDATE requests SET owner_id = {p} WHERE id IN (SELECT id FROM requests WHERE owner_id > 4 ORDER BY id DESC LIMIT {n} / 5)",
	"UPDATE matches SET owner_id = {p} WHERE request_id IN (SELECT id FROM requests WHERE owner_id = {p})",
	`INSERT INTO matches (id, book_id, request_id, owner_id, reason, holds, created_at) SELECT 10000000000 * {p} + id, id, (SELECT max(id) FROM requests WHERE owner_id = {p} AND status = 0), {p}, 'title', 1, {now}
		FROM books WHERE status = 0 AND seller_id > 4 ORDER BY id DESC LIMIT 5 * {n} ON CONFLICT DO NOTHING`,
	"INSERT INTO carts (owner_id, book_id, added_at, price) SELECT {p}, id, {now}, price FROM books WHERE status = 0 AND seller_id > 4 ORDER BY id DESC LIMIT 20 ON CONFLICT DO NOTHING",
	`INSERT INTO conversations (id, book_id, seller_id, seller_sent, seller_unread, seller_mailed_at, seller_gone, buyer_id, buyer_sent, buyer_unread, buyer_mailed_at, buyer_gone, last_id, created_at, last_at)
		SELECT 10000000000 * {p} + id, id, seller_id, 1, 0, 0, 0, {p}, 0, id % 2, 0, 0, 10000000000 * {p} + id, {now}, {now} FROM books WHERE status = 0 AND seller_id > 4 ORDER BY id DESC LIMIT {n}`,
	`INSERT INTO messages (conversation_id, n, id, from_id, text, created_at, read_at)
		SELECT id, 1, last_id, seller_id, 'It is on my shelf.', {now}, CASE buyer_unread WHEN 0 THEN {now} ELSE 0 END FROM conversations WHERE buyer_id = {p}`,
	`INSERT INTO messages (conversation_id, n, id, from_id, text, created_at, read_at)
		SELECT (SELECT max(id) FROM conversations WHERE buyer_id = {p}), 1 + i, 10000000000 * (1000 + {p}) + i, {p}, 'When shall we meet?', {now}, {now} FROM ({numbers} LIMIT 5 * {n}) AS numbers`,
	"UPDATE conversations SET buyer_sent = (SELECT count(*) - 1 FROM messages WHERE conversation_id = conversations.id), last_id = (SELECT max(id) FROM messages WHERE conversation_id = conversations.id) WHERE buyer_id = {p}",
	"DELETE FROM notifications WHERE user_id = {p}",
	"INSERT INTO notifications (user_id, id, kind, message, book_id, order_id, created_at, read_at) SELECT {p}, i, 'welcome', '', 0, 0, {now}, {now} * (i % 2) FROM ({numbers} LIMIT {notices}) AS numbers",
	"INSERT INTO notification_counters (user_id, last_id) VALUES ({p}, 1000000) ON CONFLICT (user_id) DO UPDATE SET last_id = excluded.last_id",
	"INSERT INTO blocks (id, by_id, of_id, created_at) SELECT 10000000000 * {p} + id, {p}, id, {now} FROM users WHERE id > 100 ORDER BY id LIMIT {n} / 10",
	`INSERT INTO reports (id, reporter_id, target_kind, target_id, about_id, reason, text, seen, hid, created_at, action, note, resolved_by, resolved_at, university)
		SELECT 10000000000 * {p} + id, 5 + id % 100, 1, id, seller_id, 'spam', '', '{}', 0, {now}, CASE id % 2 WHEN 0 THEN '' ELSE 'dismiss' END, '', id % 2, {now} * (id % 2), '' FROM books WHERE seller_id = {p}`,
	"INSERT INTO ratings (order_id, by_id, of_id, as_described, text, created_at) SELECT id, buyer_id, seller_id, 1, '', {now} FROM orders WHERE seller_id = {p} AND status = 3",
	"INSERT INTO audit_entries (id, at, actor, action, target, ip, detail) SELECT 10000000000 * {p} + i, {now}, {p}, 'sign_in', '', '', '' FROM ({numbers} LIMIT 5 * {n}) AS numbers",
	"INSERT INTO meeting_places (id, university_key, university, name, directions, hours, updated_at) SELECT 10000000000 * {p} + i, 'u' || i, 'U' || i, 'Library', '', '', {now} FROM ({numbers} LIMIT {n} / 10) AS numbers",
	`INSERT INTO course_lists (id, university_key, term_key, university, term, courses, books, created_at, updated_at)
		SELECT {p}, '{university_key}', '2026', university, '2026', {n} / 2, 0, {now}, {now} FROM users WHERE id = {p} ON CONFLICT DO NOTHING`,
	`INSERT INTO courses (id, list_id, place, code_key, code, title, words, books)
		SELECT 10000000000 * {p} + i, {p}, i, 'csc' || (1000000 + i), 'CSC ' || (1000000 + i), 'Title ' || i, ' csc ' || (1000000 + i) || ' title ' || i, '[]' FROM ({numbers} LIMIT {n} / 2) AS numbers`,
}

// titles give a course and a title to a share of the books and orders. There is a client and a mail.
var titles = []string{
	"UPDATE books SET course = '{course}', course_key = '{course_key}' WHERE id % {share} = 7",
	"UPDATE orders SET course = '{course}', course_key = '{course_key}' WHERE id % {share} = 7",
	"UPDATE books SET name = '{title}', title_key = '{title_key}', isbn = '{isbn}' WHERE id % {share} = 11",
	"UPDATE orders SET name = '{title}', name_key = '{title_key}', isbn = '{isbn}' WHERE id % {share} = 11",
	"INSERT INTO clients (id, name, secret_hash, redirect_uris, post_logout_uris, public, first_party, id_token_alg, created_at) VALUES ('growth', 'Growth', {digest}, 'https://app.example/', '', 1, 0, 'ES256', {now})",
	"INSERT INTO resources (id, name, identifier, scopes, secret_hash, previous_secret_hash, previous_secret_until, created_at) VALUES ('r1', 'Prices', 'https://prices.example', 'read', {digest}, {digest}, 0, {now})",
	"INSERT INTO mailbox (id, email, kind, lang, subject, text, html, code, link, sent_at) VALUES (1, 'ada@mit.edu', 'welcome', 'en', 'Hello', 'Hello', '<p>Hello</p>', '', '', {now})",
}

// addBusyPeople gives people what a demo has nobody have.
func (c *campus) addBusyPeople() {
	c.t.Helper()
	for _, statement := range titles {
		c.give(statement, 0, 0)
	}
	for _, given := range []struct{ person, n int }{{busy, c.books / share}, {student, few}} { // the busy one has the newest
		for _, statement := range gifts {
			c.give(statement, given.person, given.n)
		}
	}
	if c.postgres {
		c.exec("VACUUM ANALYZE")
	}
}

func (c *campus) give(statement string, person, n int) {
	c.t.Helper()
	university := ""
	if person != 0 {
		university = text.Key(c.text("SELECT university FROM users WHERE id = %d", person))
	}
	digest := "CAST('" + strings.Repeat("0", 32) + "' AS BLOB)"
	if c.postgres {
		digest = strings.Replace(digest, "BLOB", "BYTEA", 1)
	}
	c.exec(strings.NewReplacer(
		"{p}", strconv.Itoa(person), "{n}", strconv.Itoa(n), "{notices}", strconv.Itoa(min(5*n, mostNotices)), "{now}", strconv.FormatInt(time.Now().UnixMicro(), 10),
		"{numbers}", "SELECT row_number() OVER (ORDER BY id) AS i FROM books", "{university_key}", university, "{share}", strconv.Itoa(share),
		"{digest}", digest, "{course}", bigCourse, "{course_key}", text.Key(bigCourse), "{title}", bigTitle, "{title_key}", book.TitleKey(bigTitle), "{isbn}", bigISBN,
	).Replace(statement))
}
