package buyingstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/desk"
	"github.com/octavo-books/octavo/domain/text"
	"gorm.io/gorm/clause"
)

type deskRow struct {
	UniversityKey string `gorm:"primaryKey"`
	University    string
	Place, Hours  string
	Notes         string
	UpdatedAt     time.Time `gorm:"serializer:micros;autoUpdateTime:false"`
}

// TableName is part of GORM's interface.
func (deskRow) TableName() string { return "desks" }

func (r *deskRow) desk() desk.Desk {
	return desk.Desk{University: r.University, Place: r.Place, Hours: r.Hours, Notes: r.Notes, UpdatedAt: r.UpdatedAt}
}

// desks is a part of buying.Store.
type desks struct{ marketrows.Handle }

func (s desks) SaveDesk(ctx context.Context, d desk.Desk, limit int) error {
	row := deskRow{text.Key(d.University), d.University, d.Place, d.Hours, d.Notes, d.UpdatedAt}
	others := table.Of[deskRow](s.Session).Where("university_key <> ?", row.UniversityKey)
	if err := marketrows.MayAdd(ctx, s.Handle, "desks", others, limit, desk.ErrTooMany); err != nil {
		return err
	}
	return table.Of[deskRow](s.Session, clause.OnConflict{UpdateAll: true}).Create(ctx, &row)
}

func (s desks) DeleteDesk(ctx context.Context, university string) error {
	n, err := table.Of[deskRow](s.Session).Where("university_key = ?", text.Key(university)).Delete(ctx)
	if err == nil && n == 0 {
		err = desk.ErrNotFound
	}
	return err
}

// FindDesks implements buying.Reader.
func (s Reader) FindDesks(ctx context.Context, universities ...string) ([]desk.Desk, error) {
	keys := rawsql.Convert(universities, func(u *string) string { return text.Key(*u) })
	return rawsql.List(ctx, table.Of[deskRow](s.DB.Read).Where("university_key IN ?", keys), (*deskRow).desk)
}

// ListDesks implements buying.Reader.
func (s Reader) ListDesks(ctx context.Context, n int) ([]desk.Desk, error) {
	return rawsql.List(ctx, table.Of[deskRow](s.DB.Read).Order("university_key").Limit(n), (*deskRow).desk)
}
