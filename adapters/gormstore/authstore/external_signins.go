package authstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
)

// serviceSignInRow is a session that was begun at another service.
type serviceSignInRow struct {
	SessionID int64 `gorm:"primaryKey;autoIncrement:false"`
	UserID    int64
	Service   string
	Subject   string
	SID       string `gorm:"column:sid"`
	ExpiresAt int64
}

// TableName implements gorm's schema.Tabler.
func (serviceSignInRow) TableName() string { return "service_signins" }

func (r *serviceSignInRow) signIn() auth.ServiceSignIn {
	return auth.ServiceSignIn{
		Session: user.SessionID(r.SessionID), User: user.ID(r.UserID), Service: r.Service, Subject: r.Subject, SID: r.SID,
		Until: rawsql.Time(r.ExpiresAt),
	}
}

func (s sideEffects) addServiceSignIn(ctx context.Context, one auth.ServiceSignIn) error {
	return table.Of[serviceSignInRow](s.tx).Create(ctx, &serviceSignInRow{
		int64(one.Session), int64(one.User), one.Service, one.Subject, one.SID, rawsql.Micros(one.Until),
	})
}

// ListServiceSignIns implements external.Store.
func (i identities) ListServiceSignIns(ctx context.Context, service, subject, sid string) ([]auth.ServiceSignIn, error) {
	q := table.Of[serviceSignInRow](i.tx).Where("service = ?", service)
	if subject != "" {
		q = q.Where("subject = ?", subject)
	}
	if sid != "" {
		q = q.Where("sid = ?", sid)
	}
	if subject+sid == "" {
		return nil, nil
	}
	rows, err := q.Order("session_id").Find(ctx)
	return rawsql.Convert(rows, (*serviceSignInRow).signIn), err
}
