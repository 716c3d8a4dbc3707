package config

import (
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/inspector"
	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/pushing"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
)

// DocsPath is the path of the documentation, which development serves.
const DocsPath = "/docs"

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

// MarketDeps returns how the market is set, without its adapters.
func (s *Settings) MarketDeps(parts Components) market.Deps {
	return market.Deps{
		Currency: s.MarketCurrency(), PublishEvents: s.PublishEvents(parts),
		Handover: s.HandoverMode(), Settlement: s.SettlementOfSales(), OrderLapses: s.OrderLapse(),
		OpenPurchases: order.PurchaseLimit(s.Limits.OpenPurchases),
		Limits:        market.Limits{Posts: s.Limits.Posts, ImportLines: s.Limits.ImportLines},
	}
}

// MarketConfig returns how the rooms of the market are set, without their adapters and the keys.
func (s *Settings) MarketConfig() rooms.Config {
	return rooms.Config{
		Fee: order.FeeRate(s.Market.FeeBPS), Zone: s.Zone(), Push: pushing.Config{Title: s.Server.ServiceName},
		Threshold: report.Threshold{Reports: s.Market.ReportThreshold, MinPrice: s.ReportMinPrice()},
	}
}

// MiddlewareConfig returns how the middleware of all requests is set, without the paths that it treats apart.
func (s *Settings) MiddlewareConfig() (c httpx.Config, err error) {
	c = httpx.Config{
		AllowedOrigins:    s.Server.AllowedOrigins,
		LoopbackOrigins:   !s.Production(),
		Cookies:           s.Cookies(),
		RequestsPerSecond: float64(s.Server.RequestsPerSecond),
		HSTSSubdomains:    s.Server.HSTSSubdomains,
	}
	c.TrustedProxies, err = s.Proxies()
	return c, err
}

// HomeLinks returns the links of the home page to other interfaces.
func (s *Settings) HomeLinks(parts Components) []web.Link {
	var links []web.Link
	if parts.Market {
		links = append(links, web.Link{Path: "/api/docs", Name: "JSON API", About: "all operations of the marketplace"})
	}
	if parts.Auth && !s.Production() {
		links = append(links, web.Link{Path: "/graphql", Name: "Auth service", About: "try its GraphQL queries in the browser"})
	}
	if parts.Webhooks && parts.Market && !s.Production() {
		links = append(links, web.Link{Path: inspector.Base, Name: "Webhooks", About: "deliveries and their outcomes, for admins"})
	}
	if !s.Production() {
		links = append(links, web.Link{Path: DocsPath, Name: "Documentation", About: "guides and recipes for this version"})
	}
	if s.DevMailbox() {
		links = append(links, web.Link{Path: "/dev/mail", Name: "Mailbox", About: "all emails sent in development"})
	}
	return links
}
