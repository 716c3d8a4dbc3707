package authstore

import (
	"context"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// auditRow is an entry of the audit log.
type auditRow struct {
	ID                         int64     `gorm:"primaryKey;autoIncrement:false"`
	At                         time.Time `gorm:"serializer:micros"`
	Actor                      user.ID
	Action, Target, IP, Detail string
}

func toAuditRow(e *audit.Entry) auditRow { return auditRow(*e) }

func (r *auditRow) entry() audit.Entry { return audit.Entry(*r) }

// ListAuditEntries implements auth.AdminReader.
func (i *Identity) ListAuditEntries(ctx context.Context, f auth.AuditFilter, before int64, limit int) ([]audit.Entry, error) {
	query := gorm.G[auditRow](i.db.Read).Where("id < ?", rawsql.UpperBound(before))
	if f.User != 0 {
		query = query.Where("actor = ? OR target = ?", f.User, f.User.String())
	}
	if f.Action != "" {
		query = query.Where("action = ?", f.Action)
	}
	if !f.Since.IsZero() {
		query = query.Where("at >= ?", f.Since.UnixMicro())
	}
	if !f.Until.IsZero() {
		query = query.Where("at < ?", f.Until.UnixMicro())
	}
	rows, err := query.Order("id DESC").Limit(limit).Find(ctx)
	return rawsql.Convert(rows, (*auditRow).entry), err
}

// ListAuditAbout lists the newest n entries with this target whose action has a prefix.
func ListAuditAbout(ctx context.Context, db *gorm.DB, target, prefix string, n int) ([]audit.Entry, error) {
	rows, err := gorm.G[auditRow](db).Where("target = ? AND action LIKE ?", target, prefix+"%").Order("id DESC").Limit(n).Find(ctx)
	return rawsql.Convert(rows, (*auditRow).entry), err
}

// AddAudit inserts audit entries as part of tx.
func AddAudit(tx *gorm.DB, entries ...audit.Entry) error {
	if err := tx.CreateInBatches(rawsql.Convert(entries, toAuditRow), rawsql.RowsPerStatement).Error; err != nil {
		return fmt.Errorf("store an audit entry: %w", err)
	}
	return nil
}

// sideEffects implements auth.SideEffectRecorder within a transaction.
type sideEffects struct {
	tx     *gorm.DB
	sealer outboxstore.Sealer
}

func (s sideEffects) RecordSideEffects(ctx context.Context, effects auth.SideEffects) error {
	if err := AddAudit(s.tx, effects.AuditEntries...); err != nil {
		return err
	}
	if effects.KnownClient != nil {
		if err := addKnownClient(ctx, s.tx, *effects.KnownClient); err != nil {
			return fmt.Errorf("store a known client: %w", err)
		}
	}
	if err := outboxstore.AddEvents(ctx, s.tx, effects.Events...); err != nil {
		return err
	}
	return outboxstore.AddMessages(s.tx, s.sealer, effects.Messages...)
}

// RecordDecoy does the work of RecordSideEffects and rolls it back.
func (s sideEffects) RecordDecoy(ctx context.Context, effects auth.SideEffects) error {
	if err := s.tx.Exec("SAVEPOINT decoy").Error; err != nil {
		return err
	}
	if err := s.RecordSideEffects(ctx, effects); err != nil {
		return err
	}
	return s.tx.Exec("ROLLBACK TO SAVEPOINT decoy").Error
}
