package authstore

import (
	"context"
	"fmt"

	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"gorm.io/gorm"
)

// AddAudit keeps audit entries as part of tx.
func AddAudit(tx *gorm.DB, entries ...audit.Entry) error {
	for _, e := range entries {
		err := tx.Exec(`INSERT INTO audit_entries (id, at, actor, action, target, ip, detail) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			e.ID, e.At.UnixMicro(), int64(e.Actor), e.Action, e.Target, e.IP, e.Detail).Error
		if err != nil {
			return fmt.Errorf("keep an audit entry: %w", err)
		}
	}
	return nil
}

// trail takes what an act leaves behind, within its transaction.
type trail struct {
	*transaction
	sealer outboxstore.Sealer
}

func (t trail) Leave(_ context.Context, left auth.Trace) error {
	if err := AddAudit(t.tx, left.Entries...); err != nil {
		return err
	}
	if left.Known != nil {
		if err := t.addKnown(*left.Known); err != nil {
			return fmt.Errorf("keep a known source: %w", err)
		}
	}
	return outboxstore.Add(t.tx, t.sealer, left.Messages...)
}

// Rehearse does the work of Leave and takes it back.
func (t trail) Rehearse(ctx context.Context, left auth.Trace) error {
	if err := t.tx.Exec(`SAVEPOINT rehearsal`).Error; err != nil {
		return err
	}
	if err := t.Leave(ctx, left); err != nil {
		return err
	}
	return t.tx.Exec(`ROLLBACK TO SAVEPOINT rehearsal`).Error
}
