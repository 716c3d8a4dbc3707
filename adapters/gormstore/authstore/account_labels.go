package authstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/user"
)

// labelRow is a role or group of a user.
type labelRow struct {
	UserID int64  `gorm:"primaryKey;autoIncrement:false"`
	Kind   string `gorm:"primaryKey"`
	Name   string `gorm:"primaryKey"`
	Source string `gorm:"primaryKey"`
}

// TableName implements gorm's schema.Tabler.
func (labelRow) TableName() string { return "user_labels" }

func (r *labelRow) label() user.Label {
	return user.Label{Kind: user.LabelKind(r.Kind), Name: r.Name, Source: r.Source}
}

// ListLabels implements auth.Storage.
func (i *Identity) ListLabels(ctx context.Context, of user.ID) ([]user.Label, error) {
	rows, err := table.Of[labelRow](i.db.Read).Where("user_id = ?", int64(of)).Order("kind, name, source").Find(ctx)
	return rawsql.Convert(rows, (*labelRow).label), err
}

// SetLabels implements auth.Store.
func (u users) SetLabels(ctx context.Context, of user.ID, kind user.LabelKind, source string, names []string) error {
	old := table.Of[labelRow](u.tx).Where("user_id = ? AND kind = ? AND source = ?", int64(of), string(kind), source)
	if _, err := old.Delete(ctx); err != nil {
		return err
	}
	if len(names) == 0 {
		return nil
	}
	rows := make([]labelRow, len(names))
	for i, name := range names {
		rows[i] = labelRow{int64(of), string(kind), name, source}
	}
	return table.Of[labelRow](u.tx).CreateInBatches(ctx, &rows, rawsql.RowsPerStatement)
}
