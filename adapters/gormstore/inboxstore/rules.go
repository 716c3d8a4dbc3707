package inboxstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/inbox"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// ruleRow is a published rule. autoIncrement is off because position 0 is a value;
// otherwise GORM would leave the zero key to the database.
type ruleRow struct {
	Position                                  int `gorm:"primaryKey;autoIncrement:false"`
	Rule, Source, Pattern, Condition, OrderBy string
	Rate, Target                              string
	Paused                                    int
}

// TableName implements GORM's schema.Tabler.
func (ruleRow) TableName() string { return "inbox_rules" }

// SaveRules replaces the rules. It writes the positions in ascending order, so that
// two processes that start at the same time do not deadlock.
func (i *Inbox) SaveRules(ctx context.Context, rules []inbox.Rule) error {
	rows := make([]ruleRow, len(rules))
	for position, r := range rules {
		rows[position] = ruleRow{position, r.Key(), r.Source, r.Match, r.Where, r.OrderBy, r.Rate, r.Target(), rawsql.Flag(r.Paused)}
	}
	return i.db.Atomically(ctx, func(tx *gorm.DB) error {
		if len(rows) > 0 {
			if err := table.Of[ruleRow](tx, clause.OnConflict{UpdateAll: true}).CreateInBatches(ctx, &rows, 100); err != nil {
				return err
			}
		}
		_, err := table.Of[ruleRow](tx).Where("position >= ?", len(rows)).Delete(ctx)
		return err
	})
}

// LoadRules returns the rules in their order.
func (i *Inbox) LoadRules(ctx context.Context) ([]inbox.Rule, error) {
	rows, err := table.Of[ruleRow](i.db.Read).Order("position").Find(ctx)
	var rules []inbox.Rule
	for _, r := range rows {
		rules = append(rules, inbox.Rule{
			Name: r.Rule, Source: r.Source, Match: r.Pattern, Where: r.Condition, OrderBy: r.OrderBy, Rate: r.Rate, URL: r.Target,
			Paused: r.Paused == 1,
		})
	}
	return rules, err
}
