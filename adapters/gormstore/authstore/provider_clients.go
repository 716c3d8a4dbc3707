package authstore

import (
	"context"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// clientRow is an OpenID client. URIs contain no spaces, which separate them.
type clientRow struct {
	ID             string `gorm:"primaryKey"`
	Name           string
	SecretHash     digest
	RedirectURIs   string `gorm:"column:redirect_uris"`
	PostLogoutURIs string `gorm:"column:post_logout_uris"`
	Public         int64
	FirstParty     int64
	IDTokenAlg     string
	CreatedAt      int64 `gorm:"autoCreateTime:false"`

	PreviousSecretHash  digest
	PreviousSecretUntil int64
	PKCEOptional        int64  `gorm:"column:pkce_optional"`
	RequireACR          string `gorm:"column:require_acr"`
	BackchannelLogout   string `gorm:"column:backchannel_logout_uri"`
	FrontchannelLogout  string `gorm:"column:frontchannel_logout_uri"`
	LogoURI             string `gorm:"column:logo_uri"`
	PolicyURI           string `gorm:"column:policy_uri"`
	TermsURI            string `gorm:"column:tos_uri"`
	AccessLifetime      int64  // seconds, as SessionLifetime
	SessionLifetime     int64
}

// TableName implements gorm's schema.Tabler.
func (clientRow) TableName() string { return "clients" }

func (r *clientRow) client() openid.Client {
	return openid.Client{
		ID: r.ID, Name: r.Name, SecretHash: openid.SecretHash(r.SecretHash), Public: r.Public == 1, FirstParty: r.FirstParty == 1,
		RedirectURIs: fields(r.RedirectURIs), PostLogoutRedirectURIs: fields(r.PostLogoutURIs),
		IDTokenAlg: r.IDTokenAlg, CreatedAt: rawsql.Time(r.CreatedAt),
		PreviousSecretHash: openid.SecretHash(r.PreviousSecretHash), PreviousSecretUntil: rawsql.Time(r.PreviousSecretUntil),
		PKCEOptional: r.PKCEOptional == 1, RequireACR: r.RequireACR, BackchannelLogoutURI: r.BackchannelLogout,
		FrontchannelLogoutURI: r.FrontchannelLogout, LogoURI: r.LogoURI, PolicyURI: r.PolicyURI, TermsURI: r.TermsURI,
		AccessLifetime: time.Duration(r.AccessLifetime) * time.Second, SessionLifetime: time.Duration(r.SessionLifetime) * time.Second,
	}
}

func clientRowOf(c openid.Client) *clientRow {
	return &clientRow{
		ID: c.ID, Name: c.Name, SecretHash: digest(c.SecretHash),
		RedirectURIs: strings.Join(c.RedirectURIs, " "), PostLogoutURIs: strings.Join(c.PostLogoutRedirectURIs, " "),
		Public: int64(rawsql.Flag(c.Public)), FirstParty: int64(rawsql.Flag(c.FirstParty)), IDTokenAlg: c.IDTokenAlg,
		CreatedAt:          rawsql.Micros(c.CreatedAt),
		PreviousSecretHash: digest(c.PreviousSecretHash), PreviousSecretUntil: rawsql.Micros(c.PreviousSecretUntil),
		PKCEOptional: int64(rawsql.Flag(c.PKCEOptional)), RequireACR: c.RequireACR, BackchannelLogout: c.BackchannelLogoutURI,
		FrontchannelLogout: c.FrontchannelLogoutURI, LogoURI: c.LogoURI, PolicyURI: c.PolicyURI, TermsURI: c.TermsURI,
		AccessLifetime: int64(c.AccessLifetime / time.Second), SessionLifetime: int64(c.SessionLifetime / time.Second),
	}
}

// fields returns nil for an empty text.
func fields(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Fields(s)
}

// grantRow is what a user has allowed a client.
type grantRow struct {
	UserID    int64  `gorm:"primaryKey;autoIncrement:false"`
	Client    string `gorm:"primaryKey"`
	Scopes    string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	ChangedAt int64
}

// TableName implements gorm's schema.Tabler.
func (grantRow) TableName() string { return "client_grants" }

func (r *grantRow) grant() openid.Grant {
	return openid.Grant{User: user.ID(r.UserID), Client: r.Client, Scopes: r.Scopes, CreatedAt: rawsql.Time(r.CreatedAt),
		ChangedAt: rawsql.Time(r.ChangedAt)}
}

// FindClient implements provider.Reader.
func (i *Identity) FindClient(ctx context.Context, id string) (openid.Client, error) {
	found, err := rawsql.Take(ctx, table.Of[clientRow](i.db.Read).Where("id = ?", id), openid.ErrClientNotFound)
	return found.client(), err
}

// ListClients implements provider.Reader.
func (i *Identity) ListClients(ctx context.Context) ([]openid.Client, error) {
	rows, err := table.Of[clientRow](i.db.Read).Order("created_at, id").Find(ctx)
	return rawsql.Convert(rows, (*clientRow).client), err
}

// ListGrants implements provider.Reader.
func (i *Identity) ListGrants(ctx context.Context, of user.ID) ([]openid.Grant, error) {
	rows, err := table.Of[grantRow](i.db.Read).Where("user_id = ?", int64(of)).Order("created_at, client").Find(ctx)
	return rawsql.Convert(rows, (*grantRow).grant), err
}

// ListGrantees implements provider.Reader.
func (i *Identity) ListGrantees(ctx context.Context, client string, after user.ID, n int) ([]user.ID, error) {
	var all []user.ID
	err := table.Of[grantRow](i.db.Read).Select("user_id").Where("client = ? AND user_id > ?", client, int64(after)).
		Order("user_id").Limit(n).Scan(ctx, &all)
	return all, err
}

// clients implements provider.Store within a transaction.
type clients struct{ tx *gorm.DB }

func (c clients) LockClient(ctx context.Context, id string) (openid.Client, error) {
	found, err := rawsql.Take(ctx, table.Of[clientRow](c.tx, rawsql.ForUpdate).Where("id = ?", id), openid.ErrClientNotFound)
	return found.client(), err
}

func (c clients) CountClients(ctx context.Context) (int, error) {
	if err := rawsql.On(c.tx).AdvisoryLock(ctx, "clients"); err != nil {
		return 0, err
	}
	n, err := table.Of[clientRow](c.tx).Count(ctx)
	return n, err
}

func (c clients) SaveClient(ctx context.Context, saved openid.Client) error {
	return table.Of[clientRow](c.tx, clause.OnConflict{UpdateAll: true}).Create(ctx, clientRowOf(saved))
}

func (c clients) DeleteClient(ctx context.Context, id string) (bool, error) {
	n, err := table.Of[clientRow](c.tx).Where("id = ?", id).Delete(ctx)
	return n > 0, err
}

func (c clients) LockGrant(ctx context.Context, of user.ID, client string) (openid.Grant, error) {
	found, err := rawsql.Take(ctx, table.Of[grantRow](c.tx, rawsql.ForUpdate).
		Where("user_id = ? AND client = ?", int64(of), client), openid.ErrGrantNotFound)
	return found.grant(), err
}

func (c clients) SaveGrant(ctx context.Context, g openid.Grant) error {
	return table.Of[grantRow](c.tx, clause.OnConflict{UpdateAll: true}).Create(ctx, &grantRow{
		UserID: int64(g.User), Client: g.Client, Scopes: g.Scopes, CreatedAt: rawsql.Micros(g.CreatedAt),
		ChangedAt: rawsql.Micros(g.ChangedAt),
	})
}

func (c clients) DeleteGrantsSince(ctx context.Context, of user.ID, since time.Time) error {
	_, err := table.Of[grantRow](c.tx).Where("user_id = ? AND changed_at >= ?", int64(of), rawsql.Micros(since)).Delete(ctx)
	return err
}

func (c clients) DeleteGrant(ctx context.Context, of user.ID, client string) (bool, error) {
	n, err := table.Of[grantRow](c.tx).Where("user_id = ? AND client = ?", int64(of), client).Delete(ctx)
	return n > 0, err
}
