package authstore

import (
	"context"
	"fmt"

	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// auditRow is an entry of the audit log.
type auditRow struct {
	ID     int64 `gorm:"primaryKey;autoIncrement:false"`
	At     int64
	Actor  int64
	Action string
	Target string
	IP     string
	Detail string
}

// TableName is read by GORM.
func (auditRow) TableName() string { return "audit_entries" }

func toAuditRow(e audit.Entry) auditRow {
	return auditRow{e.ID, rawsql.Micros(e.At), int64(e.Actor), e.Action, e.Target, e.IP, e.Detail}
}

func (r auditRow) entry() audit.Entry {
	return audit.Entry{ID: r.ID, At: rawsql.Time(r.At), Actor: user.ID(r.Actor), Action: r.Action, Target: r.Target, IP: r.IP, Detail: r.Detail}
}

// ListAuditEntries lists the audit log, newest first.
func (i *Identity) ListAuditEntries(ctx context.Context, of user.ID, before int64, limit int) ([]audit.Entry, error) {
	query := gorm.G[auditRow](i.db.Read).Where("id < ?", below(before))
	if of != 0 {
		query = query.Where("actor = ? OR target = ?", int64(of), of.String())
	}
	rows, err := query.Order("id DESC").Limit(limit).Find(ctx)
	return values(rows, auditRow.entry), err
}

// AddAudit keeps audit entries as part of tx.
func AddAudit(tx *gorm.DB, entries ...audit.Entry) error {
	if err := tx.CreateInBatches(values(entries, toAuditRow), rowsPerInsert).Error; err != nil {
		return fmt.Errorf("keep an audit entry: %w", err)
	}
	return nil
}

// sideEffects takes what an act leaves behind, within its transaction.
type sideEffects struct {
	tx     *gorm.DB
	sealer outboxstore.Sealer
}

func (t sideEffects) RecordSideEffects(ctx context.Context, left auth.SideEffects) error {
	if err := AddAudit(t.tx, left.AuditEntries...); err != nil {
		return err
	}
	if left.KnownClient != nil {
		if err := addKnownClient(ctx, t.tx, *left.KnownClient); err != nil {
			return fmt.Errorf("keep a known source: %w", err)
		}
	}
	return outboxstore.AddMessages(t.tx, t.sealer, left.Messages...)
}

// RecordDecoy does the work of Leave and takes it back.
func (t sideEffects) RecordDecoy(ctx context.Context, left auth.SideEffects) error {
	if err := t.tx.Exec("SAVEPOINT rehearsal").Error; err != nil {
		return err
	}
	if err := t.RecordSideEffects(ctx, left); err != nil {
		return err
	}
	return t.tx.Exec("ROLLBACK TO SAVEPOINT rehearsal").Error
}
