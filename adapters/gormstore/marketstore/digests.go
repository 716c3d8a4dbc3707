package marketstore

import (
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm/clause"
)

// digestRow is a digest; Sent are microseconds.
type digestRow struct {
	UserID user.ID        `gorm:"primaryKey;autoIncrement:false"`
	Kind   message.Kind   `gorm:"primaryKey"`
	Sent   []int64        `gorm:"serializer:json"`
	Items  []message.Item `gorm:"serializer:json"`
	More   int
	WakeAt time.Time `gorm:"serializer:micros"`
}

// TableName is part of GORM's interface.
func (digestRow) TableName() string { return "mail_digests" }

func (r *digestRow) digest() message.Digest {
	d := message.Digest{To: r.UserID, Kind: r.Kind, Items: r.Items, More: r.More}
	for _, at := range r.Sent {
		d.Sent = append(d.Sent, rawsql.Time(at))
	}
	if d.Waits() {
		d.Due = r.WakeAt
	}
	return d
}

func toDigestRow(d *message.Digest) digestRow {
	r := digestRow{UserID: d.To, Kind: d.Kind, Sent: []int64{}, Items: d.Items, More: d.More, WakeAt: d.WakesAt()}
	for _, at := range d.Sent {
		r.Sent = append(r.Sent, rawsql.Micros(at))
	}
	if r.Items == nil {
		r.Items = []message.Item{}
	}
	return r
}

// digests is a part of market.Stores.
type digests struct{ marketrows.Handle }

// LockDigests adds the rows first, because a row that does not exist cannot be locked.
func (s digests) LockDigests(ctx context.Context, kind message.Kind, to []user.ID) ([]message.Digest, error) {
	all := make([]message.Digest, 0, len(to))
	for chunk := range slices.Chunk(slices.Sorted(slices.Values(to)), rawsql.RowsPerStatement) {
		added := rawsql.Convert(chunk, func(id *user.ID) digestRow { return toDigestRow(&message.Digest{To: *id, Kind: kind}) })
		if err := table.Of[digestRow](s.Session, clause.OnConflict{DoNothing: true}).CreateInBatches(ctx, &added, len(added)); err != nil {
			return nil, err
		}
		rows, err := table.Of[digestRow](s.Session, rawsql.ForUpdate).Where("kind = ? AND user_id IN ?", kind, rawsql.Padded(chunk)).Order("user_id").Find(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, rawsql.Convert(rows, (*digestRow).digest)...)
	}
	return all, nil
}

func (s digests) LockDueDigests(ctx context.Context, now time.Time, n int) ([]message.Digest, error) {
	return rawsql.List(ctx, table.Of[digestRow](s.Session, rawsql.SkipLocked).Where("wake_at <= ?", rawsql.Micros(now)).Order("wake_at").Limit(n), (*digestRow).digest)
}

func (s digests) SaveDigests(ctx context.Context, all []message.Digest, now time.Time) error {
	rows := make([]digestRow, 0, len(all))
	for _, d := range all {
		if !d.Spent(now) {
			rows = append(rows, toDigestRow(&d))
			continue
		}
		if _, err := table.Of[digestRow](s.Session).Where("user_id = ? AND kind = ?", d.To, d.Kind).Delete(ctx); err != nil {
			return err
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return table.Of[digestRow](s.Session, clause.OnConflict{UpdateAll: true}).CreateInBatches(ctx, &rows, rawsql.RowsPerStatement)
}

// The items that hold. The plus keeps SQLite from other indexes than those of the ids.
var holdingItems = map[message.Kind]string{
	message.MatchFound: `SELECT p.book_id AS book, p.request_id AS source FROM matches p JOIN books b ON b.id = p.book_id JOIN requests r ON r.id = p.request_id
		WHERE p.book_id IN ? AND p.request_id IN ? AND +p.holds = 1 AND +b.status = 0 AND +r.status = 0`,
	message.SearchHit: `SELECT h.book_id AS book, h.search_id AS source FROM saved_search_hits h JOIN books b ON b.id = h.book_id JOIN saved_searches s ON s.id = h.search_id
		WHERE h.book_id IN ? AND h.search_id IN ? AND +s.mail = 1 AND +b.status = 0`,
	message.BookUnlisted: `SELECT b.id AS book, b.id AS source FROM books b WHERE b.id IN ? AND b.id IN ? AND +b.status = 5 AND +b.held = 0`,
}

type holdingRow struct{ Book, Source int64 }

func (s digests) FilterItems(ctx context.Context, kind message.Kind, items []message.Item) ([]message.Item, error) {
	if len(items) == 0 {
		return nil, nil
	}
	books, sources := make([]int64, len(items)), make([]int64, len(items))
	for n, i := range items {
		books[n], sources[n] = i.Book, i.Source
	}
	rows, err := table.Of[holdingRow](s.Session).Raw(holdingItems[kind], rawsql.Padded(books), rawsql.Padded(sources)).Find(ctx)
	return slices.DeleteFunc(slices.Clone(items), func(i message.Item) bool {
		return !slices.Contains(rows, holdingRow{i.Book, i.Source})
	}), err
}
