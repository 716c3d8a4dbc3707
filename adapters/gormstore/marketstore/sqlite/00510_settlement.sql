-- +goose Up
-- How a book was handed over, who settles its order, and when its people were reminded. See
-- domain/order for the numbers.
ALTER TABLE orders ADD COLUMN handover INTEGER NOT NULL DEFAULT 0; -- 0 not yet, 1 at the desk, 2 at a meeting
ALTER TABLE orders ADD COLUMN handed_over_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN settlement INTEGER NOT NULL DEFAULT 0; -- 0 by the operator, 1 by the buyer
ALTER TABLE orders ADD COLUMN reminded_at INTEGER NOT NULL DEFAULT 0;
-- Only a code that was typed at a meeting took both steps at once, by the seller. An admin who
-- sells and has confirmed an own book needed a call for each.
UPDATE orders SET handover = 2, handed_over_at = delivered_at
    WHERE status = 3 AND delivered_by = seller_id AND verified_by = seller_id AND verified_at = delivered_at;
UPDATE orders SET handover = 1, handed_over_at = verified_at WHERE verified_at > 0 AND handover = 0;
CREATE INDEX orders_waiting ON orders (reminded_at, created_at, id) WHERE status = 1 AND handover = 0; -- those that will lapse
CREATE INDEX orders_to_settle ON orders (id) WHERE status = 1 AND handover <> 0;                       -- the queue of those

-- The ledger gets a fifth movement: the buyer has paid the seller.
DROP VIEW recount;
DROP VIEW campus_recount;
CREATE TABLE ledger_5 (
    order_id INTEGER NOT NULL REFERENCES orders (id),
    movement INTEGER NOT NULL CHECK (movement BETWEEN 1 AND 5),
    account  INTEGER NOT NULL CHECK (account BETWEEN 1 AND 4),
    amount   INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (order_id, movement, account)
) WITHOUT ROWID;
INSERT INTO ledger_5 (order_id, movement, account, amount, at)
    SELECT order_id, movement, account, amount, at FROM ledger ORDER BY order_id, movement, account;
DROP TABLE ledger;
ALTER TABLE ledger_5 RENAME TO ledger;
-- +goose StatementBegin
CREATE TRIGGER ledger_keeps BEFORE UPDATE ON ledger BEGIN
    SELECT RAISE(ABORT, 'the ledger is append-only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER ledger_stays BEFORE DELETE ON ledger BEGIN
    SELECT RAISE(ABORT, 'the ledger is append-only');
END;
-- +goose StatementEnd
-- Money has moved when it comes into the escrow, leaves it as a refund, or goes to the seller directly.
-- +goose StatementBegin
CREATE TRIGGER money_tallied AFTER INSERT ON ledger WHEN NEW.account = 2 AND NEW.movement <> 3 OR NEW.account = 4 AND NEW.movement = 5 BEGIN
    INSERT INTO tallies VALUES (5, NEW.at / 900000000, NEW.amount), (5, -1, NEW.amount) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER fees_tallied AFTER INSERT ON ledger WHEN NEW.account = 3 BEGIN
    INSERT INTO tallies VALUES (6, NEW.at / 900000000, NEW.amount), (6, -1, NEW.amount) ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER entries_tallied_at_university AFTER INSERT ON ledger
    WHEN NEW.account = 3 OR NEW.account = 2 AND NEW.movement <> 3 OR NEW.account = 4 AND NEW.movement = 5 BEGIN
    INSERT INTO campus_tallies SELECT o.university_key, CASE NEW.account WHEN 3 THEN 6 ELSE 5 END, period.key, NEW.amount
        FROM orders o, (SELECT NEW.at / 900000000 AS key UNION ALL SELECT -1) AS period WHERE o.id = NEW.order_id AND o.university_key <> ''
        ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd

CREATE VIEW recount AS
SELECT 1 AS kind, status AS key, count(*) AS n FROM books GROUP BY status
UNION ALL
SELECT 2, created_at / 900000000 AS period, count(*) FROM books GROUP BY period
UNION ALL
SELECT 3, created_at / 900000000 AS period, count(*) FROM orders WHERE status > 0 GROUP BY period
UNION ALL
SELECT 4, created_at / 900000000 AS period, count(*) FROM users WHERE deleted_at IS NULL GROUP BY period
UNION ALL
SELECT 5, at / 900000000 AS period, sum(amount) FROM ledger WHERE (account = 2 AND movement <> 3 OR account = 4 AND movement = 5) GROUP BY period
UNION ALL
SELECT 6, at / 900000000 AS period, sum(amount) FROM ledger WHERE account = 3 GROUP BY period
UNION ALL
SELECT 4, -1, count(*) FROM users WHERE deleted_at IS NULL HAVING count(*) > 0
UNION ALL
SELECT 5, -1, sum(amount) FROM ledger WHERE (account = 2 AND movement <> 3 OR account = 4 AND movement = 5) HAVING count(*) > 0
UNION ALL
SELECT 6, -1, sum(amount) FROM ledger WHERE account = 3 HAVING count(*) > 0
UNION ALL
SELECT 7, max(waited, 0) / 3600000000 AS hours, count(*) FROM orders WHERE status > 0 GROUP BY hours;

CREATE VIEW campus_recount AS
SELECT university_key AS university, 1 AS kind, status AS key, count(*) AS n FROM books WHERE university_key <> '' GROUP BY university_key, status
UNION ALL
SELECT university_key, 2, created_at / 900000000 AS period, count(*) FROM books WHERE university_key <> '' GROUP BY university_key, period
UNION ALL
SELECT university_key, 3, created_at / 900000000 AS period, count(*) FROM orders WHERE status > 0 AND university_key <> '' GROUP BY university_key, period
UNION ALL
SELECT university, 4, created_at / 900000000 AS period, count(*) FROM users WHERE deleted_at IS NULL AND university <> '' GROUP BY university, period
UNION ALL
SELECT university, 4, -1, count(*) FROM users WHERE deleted_at IS NULL AND university <> '' GROUP BY university
UNION ALL
SELECT o.university_key, CASE l.account WHEN 3 THEN 6 ELSE 5 END AS of_kind, l.at / 900000000 AS period, sum(l.amount) FROM ledger l JOIN orders o ON o.id = l.order_id
    WHERE (l.account = 3 OR l.account = 2 AND l.movement <> 3 OR l.account = 4 AND l.movement = 5) AND o.university_key <> '' GROUP BY o.university_key, of_kind, period
UNION ALL
SELECT o.university_key, CASE l.account WHEN 3 THEN 6 ELSE 5 END AS of_kind, -1, sum(l.amount) FROM ledger l JOIN orders o ON o.id = l.order_id
    WHERE (l.account = 3 OR l.account = 2 AND l.movement <> 3 OR l.account = 4 AND l.movement = 5) AND o.university_key <> '' GROUP BY o.university_key, of_kind
UNION ALL
SELECT university_key, 7, max(waited, 0) / 3600000000 AS hours, count(*) FROM orders WHERE status > 0 AND university_key <> '' GROUP BY university_key, hours;
