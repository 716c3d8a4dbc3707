package table

import (
	"context"
	"slices"

	"gorm.io/gorm"
)

// query is what does not depend on the type of the rows.
type query struct {
	db    *gorm.DB
	steps []step
}

type step func(*gorm.DB) *gorm.DB

func (q query) with(s step) query { return query{q.db, append(slices.Clip(q.steps), s)} }

// start returns a new statement with all steps.
func (q query) start(ctx context.Context) *gorm.DB {
	db := q.db.Session(&gorm.Session{NewDB: true, Context: ctx})
	for _, s := range q.steps {
		db = s(db)
	}
	return db
}

// The functions below are not inlined, because their closures would be compiled again for each
// type of row.

//go:noinline
func (q query) where(condition string, args []any) query {
	return q.with(func(db *gorm.DB) *gorm.DB { return db.Where(condition, args...) })
}

//go:noinline
func (q query) selecting(columns string, more []any) query {
	return q.with(func(db *gorm.DB) *gorm.DB { return db.Select(columns, more...) })
}

//go:noinline
func (q query) omit(columns []string) query {
	return q.with(func(db *gorm.DB) *gorm.DB { return db.Omit(columns...) })
}

//go:noinline
func (q query) order(by string) query {
	return q.with(func(db *gorm.DB) *gorm.DB { return db.Order(by) })
}

//go:noinline
func (q query) limit(n int) query {
	return q.with(func(db *gorm.DB) *gorm.DB { return db.Limit(n) })
}

//go:noinline
func (q query) offset(n int) query {
	return q.with(func(db *gorm.DB) *gorm.DB { return db.Offset(n) })
}

//go:noinline
func (q query) raw(statement string, args []any) query {
	return q.with(func(db *gorm.DB) *gorm.DB { return db.Raw(statement, args...) })
}

func (q query) count(ctx context.Context, row any) (int, error) {
	var n int64
	err := q.start(ctx).Model(row).Select("*").Count(&n).Error
	return int(n), err
}

func affected(db *gorm.DB) (int, error) { return int(db.RowsAffected), db.Error }
