-- +goose Up
-- How a book was handed over, who settles its order, and when its people were reminded. See
-- domain/order for the numbers.
SET LOCAL statement_timeout = 0; -- the changes of a large table may take longer than a statement may
ALTER TABLE orders
    ADD COLUMN handover       INTEGER NOT NULL DEFAULT 0, -- 0 not yet, 1 at the desk, 2 at a meeting
    ADD COLUMN handed_over_at BIGINT  NOT NULL DEFAULT 0,
    ADD COLUMN settlement     INTEGER NOT NULL DEFAULT 0, -- 0 by the operator, 1 by the buyer
    ADD COLUMN reminded_at    BIGINT  NOT NULL DEFAULT 0;
-- Only a code that was typed at a meeting took both steps at once, by the seller. An admin who
-- sells and has confirmed an own book needed a call for each.
UPDATE orders SET (handover, handed_over_at) = (SELECT CASE WHEN met THEN 2 ELSE 1 END, CASE WHEN met THEN delivered_at ELSE verified_at END
        FROM (SELECT status = 3 AND delivered_by = seller_id AND verified_by = seller_id AND verified_at = delivered_at AS met) AS how)
    WHERE verified_at > 0;
CREATE INDEX orders_waiting ON orders (reminded_at, created_at, id) WHERE status = 1 AND handover = 0; -- those that will lapse
CREATE INDEX orders_to_settle ON orders (id) WHERE status = 1 AND handover <> 0;                       -- the queue of those

-- The ledger gets a fifth movement: the buyer has paid the seller.
ALTER TABLE ledger DROP CONSTRAINT ledger_movement_check;
ALTER TABLE ledger ADD CONSTRAINT ledger_movement_check CHECK (movement BETWEEN 1 AND 5);
-- Money has moved when it comes into the escrow, leaves it as a refund, or goes to the seller directly.
DROP TRIGGER entries_tallied ON ledger;
CREATE TRIGGER entries_tallied AFTER INSERT ON ledger FOR EACH ROW
    WHEN (NEW.account = 3 OR NEW.account = 2 AND NEW.movement <> 3 OR NEW.account = 4 AND NEW.movement = 5) EXECUTE FUNCTION tally_entry();

CREATE OR REPLACE VIEW recount AS
SELECT 1 AS kind, status::BIGINT AS key, count(*) AS n FROM books GROUP BY status
UNION ALL
SELECT 2, created_at / 900000000, count(*) FROM books GROUP BY 2
UNION ALL
SELECT 3, created_at / 900000000, count(*) FROM orders WHERE status > 0 GROUP BY 2
UNION ALL
SELECT 4, created_at / 900000000, count(*) FROM users WHERE deleted_at IS NULL GROUP BY 2
UNION ALL
SELECT 5, at / 900000000, sum(amount)::BIGINT FROM ledger WHERE (account = 2 AND movement <> 3 OR account = 4 AND movement = 5) GROUP BY 2
UNION ALL
SELECT 6, at / 900000000, sum(amount)::BIGINT FROM ledger WHERE account = 3 GROUP BY 2
UNION ALL
SELECT 4, -1, count(*) FROM users WHERE deleted_at IS NULL HAVING count(*) > 0
UNION ALL
SELECT 5, -1, sum(amount)::BIGINT FROM ledger WHERE (account = 2 AND movement <> 3 OR account = 4 AND movement = 5) HAVING count(*) > 0
UNION ALL
SELECT 6, -1, sum(amount)::BIGINT FROM ledger WHERE account = 3 HAVING count(*) > 0
UNION ALL
SELECT 7, greatest(waited, 0) / 3600000000, count(*) FROM orders WHERE status > 0 GROUP BY 2;

CREATE OR REPLACE VIEW campus_recount AS
SELECT university_key AS university, 1 AS kind, status::BIGINT AS key, count(*) AS n FROM books WHERE university_key <> '' GROUP BY 1, 3
UNION ALL
SELECT university_key, 2, created_at / 900000000, count(*) FROM books WHERE university_key <> '' GROUP BY 1, 3
UNION ALL
SELECT university_key, 3, created_at / 900000000, count(*) FROM orders WHERE status > 0 AND university_key <> '' GROUP BY 1, 3
UNION ALL
SELECT university, 4, created_at / 900000000, count(*) FROM users WHERE deleted_at IS NULL AND university <> '' GROUP BY 1, 3
UNION ALL
SELECT university, 4, -1, count(*) FROM users WHERE deleted_at IS NULL AND university <> '' GROUP BY 1
UNION ALL
SELECT o.university_key, CASE l.account WHEN 3 THEN 6 ELSE 5 END, l.at / 900000000, sum(l.amount)::BIGINT FROM ledger l JOIN orders o ON o.id = l.order_id
    WHERE (l.account = 3 OR l.account = 2 AND l.movement <> 3 OR l.account = 4 AND l.movement = 5) AND o.university_key <> '' GROUP BY 1, 2, 3
UNION ALL
SELECT o.university_key, CASE l.account WHEN 3 THEN 6 ELSE 5 END, -1, sum(l.amount)::BIGINT FROM ledger l JOIN orders o ON o.id = l.order_id
    WHERE (l.account = 3 OR l.account = 2 AND l.movement <> 3 OR l.account = 4 AND l.movement = 5) AND o.university_key <> '' GROUP BY 1, 2
UNION ALL
SELECT university_key, 7, greatest(waited, 0) / 3600000000, count(*) FROM orders WHERE status > 0 AND university_key <> '' GROUP BY 1, 3;
