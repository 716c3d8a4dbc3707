package inboxstore

import (
	"context"
	"database/sql"

	"github.com/octavo-books/octavo/application/inbox"
)

const upsertRule = `INSERT INTO inbox_rules (position, rule, pattern, order_by) VALUES (?, ?, ?, ?)
	ON CONFLICT (position) DO UPDATE SET rule = excluded.rule, pattern = excluded.pattern, order_by = excluded.order_by`

// SaveRules replaces the rules. It goes from the first position up, so that two
// processes that start at the same time wait for each other and do not deadlock.
func (i *Inbox) SaveRules(ctx context.Context, rules []inbox.Rule) error {
	return i.atomically(ctx, func(tx *sql.Tx) error {
		for position, r := range rules {
			if _, err := tx.ExecContext(ctx, i.dialect.rebind(upsertRule), position, r.Key(), r.Match, r.OrderBy); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, i.dialect.rebind(`DELETE FROM inbox_rules WHERE position >= ?`), len(rules))
		return err
	})
}

// LoadRules gives the rules in their order.
func (i *Inbox) LoadRules(ctx context.Context) ([]inbox.Rule, error) {
	rows, err := i.read.QueryContext(ctx, `SELECT rule, pattern, order_by FROM inbox_rules ORDER BY position`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var rules []inbox.Rule
	for rows.Next() {
		var r inbox.Rule
		if err := rows.Scan(&r.Name, &r.Match, &r.OrderBy); err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, rows.Err()
}
