package talkingstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm/clause"
)

// blocks implements talking.Store.
type blocks struct{ marketrows.Handle }

func (s blocks) AddBlock(ctx context.Context, b conversation.Block, max int) error {
	others := table.Of[marketrows.BlockRow](s.Session).Where("by_id = ? AND of_id <> ?", b.By, b.Of)
	if err := marketrows.MayAdd(ctx, s.Handle, "blocks by "+b.By.String(), others, max, conversation.ErrTooManyBlocks); err != nil {
		return err
	}
	row := marketrows.BlockRow(b)
	return table.Of[marketrows.BlockRow](s.Session, clause.OnConflict{Columns: []clause.Column{{Name: "by_id"}, {Name: "of_id"}}, DoNothing: true}).Create(ctx, &row)
}

func (s blocks) RemoveBlock(ctx context.Context, by, of user.ID) error {
	_, err := table.Of[marketrows.BlockRow](s.Session).Where("by_id = ? AND of_id = ?", by, of).Delete(ctx)
	return err
}

// HasBlocked implements talking.Reader.
func (s Reader) HasBlocked(ctx context.Context, by, of user.ID) (bool, error) {
	return table.Of[marketrows.BlockRow](s.DB.Read).Where("by_id = ? AND of_id = ?", by, of).Exists(ctx)
}

// ListBlocks implements talking.Reader.
func (s Reader) ListBlocks(ctx context.Context, by user.ID, before int64, n int) ([]talking.BlockView, error) {
	read := func() ([]any, func() talking.BlockView) {
		var v talking.BlockView
		var known int
		return append([]any{&v.ID, &v.By, &v.Of, rawsql.ScanTime(&v.CreatedAt), &known}, marketrows.ScanUser(&v.Blocked)...), func() talking.BlockView {
			v.Known = known != 0
			return v
		}
	}
	return rawsql.Collect(ctx, s.Read.Conn, read, `SELECT b.id, b.by_id, b.of_id, b.created_at, CASE WHEN EXISTS (SELECT 1 FROM books WHERE seller_id = b.of_id)
		OR EXISTS (SELECT 1 FROM conversations WHERE seller_id = b.by_id AND buyer_id = b.of_id) THEN 1 ELSE 0 END, `+marketrows.UserColumns("u")+
		" FROM (SELECT * FROM blocks WHERE by_id = ? AND id < ? ORDER BY id DESC LIMIT ?) AS b"+s.Read.JoinRow("JOIN", "users", "u", "b.of_id")+" ORDER BY b.id DESC", int64(by), rawsql.UpperBound(before), n)
}
