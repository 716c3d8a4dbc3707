package authstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
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

// ListAuditEntries implements account.Reader. The entries of a user are read from two
// indexes, those as actor and those as target: a condition with OR would sort all of them.
func (i *Identity) ListAuditEntries(ctx context.Context, f account.AuditFilter, before int64, limit int) ([]audit.Entry, error) {
	ids, err := i.auditIDs(ctx, f)
	if err != nil || ids.none {
		return nil, err
	}
	if f.User == 0 {
		return auditEntries(ctx, i.auditQuery(f, ids, before), limit)
	}
	own, err := auditEntries(ctx, i.auditQuery(f, ids, before).Where("actor = ?", f.User), limit)
	if err != nil {
		return nil, err
	}
	about, err := auditEntries(ctx, i.auditQuery(f, ids, before).Where("target = ? AND actor <> ?", f.User.String(), f.User), limit)
	all := slices.Concat(own, about)
	slices.SortFunc(all, func(a, b audit.Entry) int { return cmp.Compare(b.ID, a.ID) })
	return all[:min(limit, len(all))], err
}

// clockSkew is more than the clocks of two servers differ. The ids ascend with the time of
// their entries but for such a difference.
const clockSkew = time.Hour

// idRange has the ids from first to last.
type idRange struct {
	first, last int64
	none        bool
}

// auditIDs returns the ids that the entries on the days of a filter may have. They are read before
// the entries: Postgres sorts a range of ids that it does not know when it plans.
func (i *Identity) auditIDs(ctx context.Context, f account.AuditFilter) (ids idRange, err error) {
	one := func(into *int64, query string, at time.Time) {
		if err == nil && !ids.none {
			var found bool
			*into, found, err = rawsql.One(ctx, i.hot, rawsql.Integer[int64], query, rawsql.Micros(at))
			ids.none = !found
		}
	}
	if !f.Since.IsZero() {
		one(&ids.first, "SELECT id FROM audit_entries WHERE at >= ? ORDER BY at LIMIT 1", f.Since.Add(-clockSkew))
	}
	if !f.Until.IsZero() {
		one(&ids.last, "SELECT id FROM audit_entries WHERE at < ? ORDER BY at DESC LIMIT 1", f.Until.Add(clockSkew))
	}
	return ids, err
}

// auditQuery selects the entries of a filter, whatever their user, in the order of their ids. The
// plus keeps the planners from sorting a range of times instead. There is one upper bound of the ids,
// because SQLite would skip the entries between two one by one.
func (i *Identity) auditQuery(f account.AuditFilter, ids idRange, before int64) *table.Query[auditRow] {
	end := rawsql.UpperBound(before)
	if !f.Until.IsZero() {
		end = min(end, ids.last+1)
	}
	query := table.Of[auditRow](i.db.Read).Where("id < ?", end)
	if f.Action != "" {
		query = query.Where("action = ?", f.Action)
	}
	if !f.Since.IsZero() {
		query = query.Where("+at >= ? AND id >= ?", f.Since.UnixMicro(), ids.first)
	}
	if !f.Until.IsZero() {
		query = query.Where("+at < ?", f.Until.UnixMicro())
	}
	return query
}

func auditEntries(ctx context.Context, query *table.Query[auditRow], limit int) ([]audit.Entry, error) {
	rows, err := query.Order("id DESC").Limit(limit).Find(ctx)
	return rawsql.Convert(rows, (*auditRow).entry), err
}

// ListAuditAbout lists the newest n entries with this target whose action has a prefix.
func ListAuditAbout(ctx context.Context, db *gorm.DB, target, prefix string, n int) ([]audit.Entry, error) {
	rows, err := table.Of[auditRow](db).Where("target = ? AND action LIKE ?", target, prefix+"%").Order("id DESC").Limit(n).Find(ctx)
	return rawsql.Convert(rows, (*auditRow).entry), err
}

// AddAudit inserts audit entries as part of tx.
func AddAudit(tx *gorm.DB, entries ...audit.Entry) error {
	if err := tx.CreateInBatches(rawsql.Convert(entries, toAuditRow), rawsql.RowsPerStatement).Error; err != nil {
		return fmt.Errorf("store an audit entry: %w", err)
	}
	return nil
}

// sideEffects implements auth.Store within a transaction.
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
	if effects.ServiceSignIn != nil {
		if err := s.addServiceSignIn(ctx, *effects.ServiceSignIn); err != nil {
			return fmt.Errorf("store a sign-in at a service: %w", err)
		}
	}
	for _, l := range effects.Logouts {
		if err := s.endSignIns(ctx, l); err != nil {
			return fmt.Errorf("end sign-ins at applications: %w", err)
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
