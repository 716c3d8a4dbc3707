package sellingstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
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
	Rejected  []string `gorm:"serializer:json;not null"` // empty: earlier versions stored reasons here
	Unnamed   int      // lines with errors
	LeftOut   int
	File      selling.ImportFile `gorm:"serializer:json"`
	CreatedAt time.Time          `gorm:"serializer:micros;autoCreateTime:false"`
}

type importLineRow struct {
	OwnerID user.ID      `gorm:"primaryKey;autoIncrement:false"`
	Line    int          `gorm:"primaryKey;autoIncrement:false"`
	Details book.Details `gorm:"serializer:json"`
}

// importedRow is a row of a file as it was sent.
type importedRow struct {
	OwnerID user.ID  `gorm:"primaryKey;autoIncrement:false"`
	Line    int      `gorm:"primaryKey;autoIncrement:false"`
	Cells   []string `gorm:"serializer:json"`
	Text    string   `gorm:"serializer:json"`
}

// TableName is part of GORM's interface, here and below.
func (importRow) TableName() string     { return "imports" }
func (importLineRow) TableName() string { return "import_lines" }
func (importedRow) TableName() string   { return "import_rows" }

func rowOfImport(i selling.StoredImport) importRow {
	return importRow{i.Owner, i.ID, i.State, i.Accepted, i.Posted, []string{}, i.Wrong, i.LeftOut, i.File, i.CreatedAt}
}

func (r *importRow) stored() selling.StoredImport {
	return selling.StoredImport{
		ID: r.ID, Owner: r.Owner, State: r.State, Accepted: r.Accepted, Posted: r.Posted, Wrong: r.Unnamed, LeftOut: r.LeftOut, File: r.File, CreatedAt: r.CreatedAt,
	}
}

// imports is selling.Store.
type imports struct{ marketrows.Handle }

func (s imports) SaveImport(ctx context.Context, i selling.StoredImport, rows []selling.ImportRow, lines []selling.ImportLine) error {
	if err := s.AdvisoryLock(ctx, "import of "+i.Owner.String()); err != nil { // or two transactions could both add one
		return err
	}
	if err := s.deleteImportOf(ctx, i.Owner); err != nil {
		return err
	}
	row := rowOfImport(i)
	err := table.Of[importRow](s.Session).Create(ctx, &row)
	if err == nil {
		err = s.addRows(ctx, i.Owner, rows)
	}
	if err == nil {
		err = s.addLines(ctx, i.Owner, lines)
	}
	return err
}

func (s imports) addRows(ctx context.Context, owner user.ID, rows []selling.ImportRow) error {
	if len(rows) == 0 {
		return nil
	}
	all := rawsql.Convert(rows, func(r *selling.ImportRow) importedRow { return importedRow{owner, r.Line, r.Cells, r.Text} })
	return table.Of[importedRow](s.Session).CreateInBatches(ctx, &all, marketrows.LinesAtOnce)
}

func (s imports) addLines(ctx context.Context, owner user.ID, lines []selling.ImportLine) error {
	if len(lines) == 0 {
		return nil
	}
	all := rawsql.Convert(lines, func(l *selling.ImportLine) importLineRow { return importLineRow{owner, l.Line, l.Details} })
	return table.Of[importLineRow](s.Session).CreateInBatches(ctx, &all, marketrows.LinesAtOnce)
}

func (s imports) ListImportRows(ctx context.Context, owner user.ID) ([]selling.ImportRow, error) {
	return importRows(table.Of[importedRow](s.Session).Where("owner_id = ?", owner).Order("line").Find(ctx))
}

func importRows(rows []importedRow, err error) ([]selling.ImportRow, error) {
	return rawsql.Convert(rows, func(r *importedRow) selling.ImportRow {
		return selling.ImportRow{Line: r.Line, Cells: r.Cells, Text: r.Text}
	}), err
}

func (s imports) ReplaceImportLines(ctx context.Context, owner user.ID, lines []selling.ImportLine) error {
	if _, err := table.Of[importLineRow](s.Session).Where("owner_id = ?", owner).Delete(ctx); err != nil {
		return err
	}
	return s.addLines(ctx, owner, lines)
}

func (s imports) CorrectImportRows(ctx context.Context, owner user.ID, rows []selling.ImportRow, valid []selling.ImportLine) error {
	if len(rows) == 0 {
		return nil
	}
	lines := rawsql.Convert(rows, func(r *selling.ImportRow) int { return r.Line })
	if _, err := table.Of[importedRow](s.Session).Where("owner_id = ? AND line IN ?", owner, lines).Delete(ctx); err != nil {
		return err
	}
	if err := s.addRows(ctx, owner, rows); err != nil {
		return err
	}
	return s.addLines(ctx, owner, valid)
}

func (s imports) DeleteValidRows(ctx context.Context, owner user.ID) error {
	_, err := table.Of[importedRow](s.Session).
		Where("owner_id = ? AND line IN (SELECT line FROM import_lines WHERE owner_id = ?)", owner, owner).Delete(ctx)
	return err
}

func (s imports) LockImport(ctx context.Context, owner user.ID) (selling.StoredImport, error) {
	row, err := rawsql.Take[importRow](ctx, table.Of[importRow](s.Session, rawsql.ForUpdate).Where("owner_id = ?", owner), selling.ErrImportNotFound)
	return row.stored(), err
}

func (s imports) UpdateImport(ctx context.Context, i selling.StoredImport) error {
	_, err := table.Of[importRow](s.Session).Where("owner_id = ? AND id = ?", i.Owner, i.ID).Select("state", "posted", "accepted", "unnamed", "left_out", "file").Updates(ctx, rowOfImport(i))
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

func (s imports) deleteImportOf(ctx context.Context, owner user.ID) error {
	_, err := table.Of[importLineRow](s.Session).Where("owner_id = ?", owner).Delete(ctx)
	if err == nil {
		_, err = table.Of[importedRow](s.Session).Where("owner_id = ?", owner).Delete(ctx)
	}
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
			err = s.deleteImportOf(ctx, r.Owner)
		}
	}
	return len(rows), err
}

// FindImport is selling.Reader.
func (s Reader) FindImport(ctx context.Context, owner user.ID) (selling.StoredImport, error) {
	row, err := rawsql.Take[importRow](ctx, table.Of[importRow](s.DB.Read).Where("owner_id = ?", owner), selling.ErrImportNotFound)
	return row.stored(), err
}

// ListRejectedRows is selling.Reader, as are the next two.
func (s Reader) ListRejectedRows(ctx context.Context, owner user.ID, n int) ([]selling.ImportRow, error) {
	return importRows(table.Of[importedRow](s.DB.Read).
		Where("owner_id = ? AND line NOT IN (SELECT line FROM import_lines WHERE owner_id = ?)", owner, owner).
		Order("line").Limit(n).Find(ctx))
}

// ListFirstRows is selling.Reader.
func (s Reader) ListFirstRows(ctx context.Context, owner user.ID, n int) ([]selling.ImportRow, error) {
	return importRows(table.Of[importedRow](s.DB.Read).Where("owner_id = ?", owner).Order("line").Limit(n).Find(ctx))
}

// ListImportLines is selling.Reader.
func (s Reader) ListImportLines(ctx context.Context, owner user.ID, n int) ([]selling.ImportLine, error) {
	rows, err := table.Of[importLineRow](s.DB.Read).Where("owner_id = ?", owner).Order("line").Limit(n).Find(ctx)
	return rawsql.Convert(rows, func(r *importLineRow) selling.ImportLine { return selling.ImportLine{Line: r.Line, Details: r.Details} }), err
}
