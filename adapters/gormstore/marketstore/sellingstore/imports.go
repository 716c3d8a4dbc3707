package sellingstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

type importRow struct {
	Owner     user.ID `gorm:"column:owner_id;primaryKey;autoIncrement:false"`
	ID        int64
	State     selling.ImportState
	Accepted  int
	Posted    int
	Rejected  []market.RejectedLine `gorm:"serializer:json;not null"`
	Unnamed   int
	CreatedAt time.Time `gorm:"serializer:micros;autoCreateTime:false"`
}

type importLineRow struct {
	OwnerID user.ID      `gorm:"primaryKey;autoIncrement:false"`
	Line    int          `gorm:"primaryKey;autoIncrement:false"`
	Details book.Details `gorm:"serializer:json"`
}

// TableName is part of GORM's interface, here and below.
func (importRow) TableName() string     { return "imports" }
func (importLineRow) TableName() string { return "import_lines" }

func rowOfImport(i selling.StoredImport) importRow {
	return importRow{i.Owner, i.ID, i.State, i.Accepted, i.Posted, i.Rejected, i.Unnamed, i.CreatedAt}
}

func (r *importRow) stored() selling.StoredImport {
	return selling.StoredImport{
		ID: r.ID, Owner: r.Owner, State: r.State, Accepted: r.Accepted, Posted: r.Posted, Rejected: r.Rejected, Unnamed: r.Unnamed, CreatedAt: r.CreatedAt,
	}
}

// imports is selling.Store.
type imports struct{ marketrows.Handle }

func (s imports) SaveImport(ctx context.Context, i selling.StoredImport, lines []selling.ImportLine) error {
	if err := s.AdvisoryLock(ctx, "import of "+i.Owner.String()); err != nil { // or two transactions could both add one
		return err
	}
	if err := s.DeleteImportOf(ctx, i.Owner); err != nil {
		return err
	}
	row := rowOfImport(i)
	if err := table.Of[importRow](s.Session).Create(ctx, &row); err != nil || len(lines) == 0 {
		return err
	}
	rows := rawsql.Convert(lines, func(l *selling.ImportLine) importLineRow { return importLineRow{i.Owner, l.Line, l.Details} })
	return table.Of[importLineRow](s.Session).CreateInBatches(ctx, &rows, marketrows.LinesAtOnce)
}

func (s imports) LockImport(ctx context.Context, owner user.ID) (selling.StoredImport, error) {
	row, err := rawsql.Take[importRow](ctx, table.Of[importRow](s.Session, rawsql.ForUpdate).Where("owner_id = ?", owner), selling.ErrImportNotFound)
	return row.stored(), err
}

func (s imports) UpdateImport(ctx context.Context, i selling.StoredImport) error {
	_, err := table.Of[importRow](s.Session).Where("owner_id = ? AND id = ?", i.Owner, i.ID).Select("state", "posted").Updates(ctx, rowOfImport(i))
	return err
}

func (s imports) TakeImportLines(ctx context.Context, owner user.ID, n int) ([]selling.ImportLine, error) {
	rows, err := table.Of[importLineRow](s.Session).Where("owner_id = ?", owner).Order("line").Limit(n).Find(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	_, err = table.Of[importLineRow](s.Session).Where("owner_id = ? AND line <= ?", owner, rows[len(rows)-1].Line).Delete(ctx)
	return rawsql.Convert(rows, func(r *importLineRow) selling.ImportLine { return selling.ImportLine{Line: r.Line, Details: r.Details} }), err
}

func (s imports) DeleteImportOf(ctx context.Context, owner user.ID) error {
	_, err := table.Of[importLineRow](s.Session).Where("owner_id = ?", owner).Delete(ctx)
	if err == nil {
		_, err = table.Of[importRow](s.Session).Where("owner_id = ?", owner).Delete(ctx)
	}
	return err
}

func (s imports) DeleteImportsBefore(ctx context.Context, then time.Time, n int) (int, error) {
	rows, err := table.Of[importRow](s.Session, rawsql.SkipLocked).
		Where("state <> 1 AND created_at < ?", rawsql.Micros(then)).Order("created_at, owner_id").Limit(n).Find(ctx)
	for _, r := range rows {
		if err == nil {
			err = s.DeleteImportOf(ctx, r.Owner)
		}
	}
	return len(rows), err
}

// FindImport is selling.Reader.
func (s Reader) FindImport(ctx context.Context, owner user.ID) (selling.StoredImport, error) {
	row, err := rawsql.Take[importRow](ctx, table.Of[importRow](s.DB.Read).Where("owner_id = ?", owner), selling.ErrImportNotFound)
	return row.stored(), err
}
