package authstore

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/sessions"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// personalTokenRow is a personal access token.
type personalTokenRow struct {
	ID         user.SessionID `gorm:"primaryKey;autoIncrement:false"`
	UserID     user.ID
	Name       string
	Scopes     string
	Digest     digest
	Factors    int64
	Epoch      int64
	CreatedAt  int64 `gorm:"autoCreateTime:false"`
	ExpiresAt  int64
	LastUsedAt int64 // 0 before the first use
}

// TableName implements gorm's schema.Tabler.
func (personalTokenRow) TableName() string { return "personal_tokens" }

func (r *personalTokenRow) token() session.PersonalToken {
	return session.PersonalToken{
		ID: r.ID, User: r.UserID, Name: r.Name, Scopes: r.Scopes, Digest: r.Digest, Factors: int(r.Factors), Epoch: r.Epoch,
		CreatedAt: rawsql.Time(r.CreatedAt), ExpiresAt: rawsql.Time(r.ExpiresAt), LastUsedAt: rawsql.Time(r.LastUsedAt),
	}
}

// selectPersonalToken is read by every request of a script. See sessions_state.go.
const selectPersonalToken = `SELECT t.id, t.user_id, t.name, t.scopes, t.digest, t.factors, t.epoch, t.created_at, t.expires_at, t.last_used_at,
		u.epoch, u.role, CASE WHEN u.verified = 1 AND u.first_name IS NOT NULL THEN 1 ELSE 0 END, COALESCE(u.university, ''), u.admin_campus
	FROM personal_tokens t JOIN users u ON u.id = t.user_id
	WHERE t.digest = ? AND u.deleted_at IS NULL`

func scanPersonalToken() ([]any, func() sessions.PersonalTokenState) {
	var r personalTokenRow
	var s auth.SessionState
	var role, student int64
	return []any{
			&r.ID, &r.UserID, &r.Name, &r.Scopes, &r.Digest, &r.Factors, &r.Epoch, &r.CreatedAt, &r.ExpiresAt, &r.LastUsedAt,
			&s.UserEpoch, &role, &student, &s.University, &s.AdminCampus,
		}, func() sessions.PersonalTokenState {
			s.Role, s.Student = user.Role(role), student == 1
			return sessions.PersonalTokenState{PersonalToken: r.token(), SessionState: s}
		}
}

// FindPersonalToken implements sessions.Reader.
func (i *Identity) FindPersonalToken(ctx context.Context, of [sha256.Size]byte) (sessions.PersonalTokenState, error) {
	return find(ctx, i.hot, session.ErrPersonalTokenNotFound, scanPersonalToken, selectPersonalToken, digest(of))
}

// ListPersonalTokens implements sessions.Reader.
func (i *Identity) ListPersonalTokens(ctx context.Context, of user.ID) ([]session.PersonalToken, error) {
	rows, err := table.Of[personalTokenRow](i.db.Read).Where("user_id = ?", int64(of)).Order("id").Find(ctx)
	return rawsql.Convert(rows, (*personalTokenRow).token), err
}

// FindPersonalTokenLifetimes implements sessions.Reader.
func (i *Identity) FindPersonalTokenLifetimes(ctx context.Context, ids []user.SessionID) (map[user.SessionID]auth.SessionLifetime, error) {
	rows, err := table.Of[lifetimeRow](i.db.Read).Raw(`SELECT t.id, t.user_id, t.expires_at AS last_used_at, 0 AS idle_timeout, t.expires_at AS absolute_expiry, t.epoch, u.epoch AS user_epoch
		FROM personal_tokens t JOIN users u ON u.id = t.user_id
		WHERE t.id IN ? AND u.deleted_at IS NULL`, rawsql.Padded(ids)).Find(ctx)
	found := make(map[user.SessionID]auth.SessionLifetime, len(rows))
	for _, r := range rows {
		found[user.SessionID(r.ID)] = r.lifetime()
	}
	return found, err
}

// personalTokens implements sessions.Store within a transaction.
type personalTokens struct{ tx *gorm.DB }

func (p personalTokens) AddPersonalToken(ctx context.Context, t session.PersonalToken) error {
	return table.Of[personalTokenRow](p.tx).Create(ctx, &personalTokenRow{
		ID: t.ID, UserID: t.User, Name: t.Name, Scopes: t.Scopes, Digest: t.Digest, Factors: int64(t.Factors), Epoch: t.Epoch,
		CreatedAt: rawsql.Micros(t.CreatedAt), ExpiresAt: rawsql.Micros(t.ExpiresAt), LastUsedAt: rawsql.Micros(t.LastUsedAt),
	})
}

func (p personalTokens) CountPersonalTokens(ctx context.Context, of user.ID, epoch int64, at time.Time) (int, error) {
	return table.Of[personalTokenRow](p.tx).
		Where("user_id = ? AND epoch >= ? AND expires_at > ?", int64(of), epoch, rawsql.Micros(at)).Count(ctx)
}

func (p personalTokens) TouchPersonalToken(ctx context.Context, id user.SessionID, at time.Time) error {
	micros := rawsql.Micros(at)
	_, err := table.Of[personalTokenRow](p.tx).Where("id = ? AND last_used_at < ?", int64(id), micros).Update(ctx, "last_used_at", micros)
	return err
}

func (p personalTokens) DeletePersonalToken(ctx context.Context, of user.ID, id user.SessionID) error {
	n, err := table.Of[personalTokenRow](p.tx).Where("id = ? AND user_id = ?", int64(id), int64(of)).Delete(ctx)
	if err == nil && n == 0 {
		err = session.ErrPersonalTokenNotFound
	}
	return err
}

func (p personalTokens) DeletePersonalTokensSince(ctx context.Context, of user.ID, since time.Time) error {
	_, err := table.Of[personalTokenRow](p.tx).Where("user_id = ? AND created_at >= ?", int64(of), rawsql.Micros(since)).Delete(ctx)
	return err
}

// SessionRoomStore opens the room's store.
func (*Identity) SessionRoomStore(in auth.Stores) sessions.Store { return in.Handle.(*stores) }
