package authstore

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/user"
)

// list runs a query for reading and has each row scanned.
func (i *Identity) list(ctx context.Context, scan func(scanner) error, query string, values ...any) error {
	rows, err := i.db.Read.WithContext(ctx).Raw(query, values...).Rows()
	if err != nil {
		return gormstore.Explain(fmt.Errorf("list: %w", err))
	}
	return each(rows, scan)
}

// below turns "from the newest" into an id.
func below[T ~int64](before T) int64 {
	if before == 0 {
		return math.MaxInt64
	}
	return int64(before)
}

// People lists accounts, newest first.
func (i *Identity) People(ctx context.Context, search string, inNames bool, before user.ID, limit int) (all []user.User, err error) {
	query, values := `SELECT `+userColumns+` FROM users WHERE deleted_at IS NULL AND id < ?`, []any{below(before)}
	if search != "" {
		condition, patterns := mentioning(search, inNames)
		query, values = query+` AND `+condition, append(values, patterns...)
	}
	err = i.list(ctx, func(row scanner) error {
		one, err := scanUser(row)
		all = append(all, one)
		return err
	}, query+` ORDER BY id DESC LIMIT ?`, append(values, limit)...)
	return all, err
}

var escapeLike = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// Mentioning is a condition on users for those whose address or name contains a
// text in any case, the name with any accents; and its values.
func Mentioning(search string) (condition string, values []any) { return mentioning(search, true) }

func mentioning(search string, inNames bool) (condition string, values []any) {
	condition, values = `email LIKE ? ESCAPE '\'`, []any{"%" + escapeLike.Replace(strings.ToLower(search)) + "%"}
	if key := user.FoldName(search); inNames && key != "" {
		condition, values = `(`+condition+` OR name_key LIKE ? ESCAPE '\')`, append(values, "%"+escapeLike.Replace(key)+"%")
	}
	return condition, values
}

// Entries lists the audit log, newest first.
func (i *Identity) Entries(ctx context.Context, of user.ID, before int64, limit int) (all []audit.Entry, err error) {
	query, values := `SELECT id, at, actor, action, target, ip, detail FROM audit_entries WHERE id < ?`, []any{below(before)}
	if of != 0 {
		query += ` AND (actor = ? OR target = ?)`
		values = append(values, int64(of), of.String())
	}
	err = i.list(ctx, func(row scanner) error {
		var e audit.Entry
		var at int64
		err := row.Scan(&e.ID, &at, &e.Actor, &e.Action, &e.Target, &e.IP, &e.Detail)
		e.At = instant(at)
		all = append(all, e)
		return err
	}, query+` ORDER BY id DESC LIMIT ?`, append(values, limit)...)
	return all, err
}

// Invitations lists the open ones, newest first.
func (i *Identity) Invitations(ctx context.Context, now time.Time) (all []auth.Invitation, err error) {
	err = i.list(ctx, func(row scanner) error {
		one, err := scanInvitation(row)
		all = append(all, one)
		return err
	}, `SELECT `+invitationColumns+` FROM invitations
		WHERE accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?
			AND EXISTS (SELECT 1 FROM users u WHERE u.id = invited_by AND u.role >= 1 AND u.deleted_at IS NULL)
		ORDER BY id DESC`, now.UnixMicro())
	return all, err
}
