package guardingstore

import (
	"context"
	"database/sql"

	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/user"
)

// ReadUserStatistics implements guarding.Reader.
func (s Reader) ReadUserStatistics(ctx context.Context, id user.ID) (guarding.UserStatistics, error) {
	return table.Of[guarding.UserStatistics](s.DB.Read).Raw(`SELECT
		(SELECT count(*) FROM books WHERE seller_id = @id) AS posted,
		(SELECT count(*) FROM orders WHERE seller_id = @id AND status > 0) AS sold,
		(SELECT CAST(COALESCE(sum(price), 0) AS BIGINT) FROM orders WHERE seller_id = @id AND status > 0) AS made,
		(SELECT count(*) FROM orders WHERE buyer_id = @id AND status > 0) AS bought,
		(SELECT CAST(COALESCE(sum(price + fee), 0) AS BIGINT) FROM orders WHERE buyer_id = @id AND status > 0) AS spent,
		(SELECT count(*) FROM requests WHERE owner_id = @id AND status = 0) AS open_requests,
		(SELECT count(*) FROM (SELECT 1 AS one FROM matches p CROSS JOIN requests r CROSS JOIN books b
			WHERE r.id = p.request_id AND b.id = p.book_id AND p.owner_id = @id AND p.holds = 1 AND r.status = 0 AND b.status = 0 LIMIT @most) AS counted) AS open_match`,
		sql.Named("id", id), sql.Named("most", guarding.MaxOpenMatches)).Take(ctx)
}
