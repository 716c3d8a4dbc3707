package authstore

import (
	"context"
	"encoding/json"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/user"
)

// clientSignInRow is a sign-in at an application.
type clientSignInRow struct {
	SessionID int64 `gorm:"primaryKey;autoIncrement:false"`
	UserID    int64
	Parent    int64
	Client    string
	ExpiresAt int64
}

// TableName implements gorm's schema.Tabler.
func (clientSignInRow) TableName() string { return "client_signins" }

func (r *clientSignInRow) signIn() provider.SignIn {
	return provider.SignIn{
		Session: user.SessionID(r.SessionID), User: user.ID(r.UserID), Parent: user.SessionID(r.Parent), Client: r.Client,
		Until: rawsql.Time(r.ExpiresAt),
	}
}

// forgetSignIns deletes all but the newest sign-ins of a user at a client in one session of Octavo.
const forgetSignIns = `DELETE FROM client_signins WHERE session_id IN (
	SELECT session_id FROM client_signins WHERE user_id = ? AND parent = ? AND client = ? ORDER BY session_id DESC LIMIT 1000 OFFSET ?)`

// AddSignIn implements provider.Store.
func (c clients) AddSignIn(ctx context.Context, s provider.SignIn) error {
	row := clientSignInRow{int64(s.Session), int64(s.User), int64(s.Parent), s.Client, rawsql.Micros(s.Until)}
	if err := table.Of[clientSignInRow](c.tx).Create(ctx, &row); err != nil {
		return err
	}
	_, err := rawsql.On(c.tx).Exec(ctx, forgetSignIns, row.UserID, row.Parent, row.Client, provider.MaxSignIns)
	return err
}

// ListSignIns implements provider.Reader.
func (i *Identity) ListSignIns(ctx context.Context, of user.ID, parent user.SessionID) ([]provider.SignIn, error) {
	rows, err := table.Of[clientSignInRow](i.db.Read).Where("user_id = ? AND parent = ?", int64(of), int64(parent)).
		Order("session_id").Find(ctx)
	return rawsql.Convert(rows, (*clientSignInRow).signIn), err
}

// MoveSignIns implements sessions.Store.
func (c clients) MoveSignIns(ctx context.Context, of user.ID, from, to user.SessionID) error {
	_, err := table.Of[clientSignInRow](c.tx).Where("user_id = ? AND parent = ?", int64(of), int64(from)).Update(ctx, "parent", int64(to))
	return err
}

// selectSignIn is read for every session that somebody ends.
const selectSignIn = `SELECT session_id FROM client_signins WHERE user_id = ? AND (session_id = ? OR parent = ?) LIMIT 1`

// HasSignIns implements sessions.Reader. A sign-in is forgotten no sooner than its session ends, but for those of whom
// there are very many: then the newest remain.
func (i *Identity) HasSignIns(ctx context.Context, of user.ID, id user.SessionID) (bool, error) {
	_, found, err := rawsql.One(ctx, i.hot, rawsql.Integer[int64], selectSignIn, int64(of), int64(id), int64(id))
	return found, err
}

// endSignIns deletes the sign-ins of a logout and adds a job for each whose application wants to be told.
// Of two transactions that end the same sign-in, one finds it.
func (s sideEffects) endSignIns(ctx context.Context, l auth.Logout) error {
	condition, args := "user_id = ?", []any{int64(l.User)}
	if l.Client != "" {
		condition, args = condition+" AND client = ?", append(args, l.Client)
	}
	if l.Sessions != nil {
		marks, ids := rawsql.In(l.Sessions)
		condition += " AND (session_id IN (" + marks + ") OR parent IN (" + marks + "))"
		args = append(append(args, ids...), ids...)
	}
	ended, err := rawsql.Collect(ctx, rawsql.On(s.tx), scanEnded(l.User),
		"DELETE FROM client_signins WHERE "+condition+" RETURNING session_id, client", args...)
	if err != nil || len(ended) == 0 {
		return err
	}
	var told []string
	if err := table.Of[clientRow](s.tx).Select("id").Where("backchannel_logout_uri <> ''").Scan(ctx, &told); err != nil {
		return err
	}
	wants := make(map[string]bool, len(told))
	for _, id := range told {
		wants[id] = true
	}
	for _, one := range ended {
		if !wants[one.Client] {
			continue
		}
		text, err := json.Marshal(one)
		if err != nil {
			return err
		}
		// A session ends once, so its ID serves as that of the job.
		j := job.Job{ID: int64(one.Session), Kind: auth.LogoutJob, Subject: int64(one.User), Args: string(text), DueAt: l.At}
		if err := workstore.AddJob(ctx, s.tx, j); err != nil {
			return err
		}
	}
	return nil
}

func scanEnded(of user.ID) func() ([]any, func() auth.EndedSession) {
	return func() ([]any, func() auth.EndedSession) {
		var id int64
		one := auth.EndedSession{User: of}
		return []any{&id, &one.Client}, func() auth.EndedSession {
			one.Session = user.SessionID(id)
			return one
		}
	}
}
