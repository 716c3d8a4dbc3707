package config

import (
	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/application/auth"
)

// AuthConfig returns how accounts are set, without the keys and the services of external sign-ins.
func (s *Settings) AuthConfig(parts Components) (c auth.Config, err error) {
	c = auth.Config{
		BaseURL: s.Server.BaseURL, InviteURL: s.Identity.InviteURL, Issuer: s.Identity.JWTIssuer, ServiceName: s.Server.ServiceName,
		AccessTTL: s.Identity.AccessTokenTTL, MaxSessions: s.Identity.MaxSessions, AuditKeep: s.Identity.AuditKeep,
		ExternalOnly: s.ExternalOnly(), PublishEvents: s.PublishEvents(parts),
		RequireSecondFactor: s.Identity.Require2FA == "admins", CampusAdmins: s.Identity.AdminScope == "campus",
	}
	c.AllowRegistration, c.ExternalRegistration = s.Registration()
	if c.Rules, err = s.Limits.Rules(); err == nil {
		c.Campus, err = s.Campus()
	}
	return c, err
}

// APIConfig returns how the JSON API is set.
func (s *Settings) APIConfig() (c rest.Config, err error) {
	c = rest.Default()
	c.Cookies, c.MaxStreams, c.Currency, c.Keys = s.Cookies(), s.Limits.Streams, s.MarketCurrency(), s.SurrogateKeys()
	c.Campus, err = s.Campus()
	return c, err
}
