package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/settings"
)

const longToken = "sixteen letters."

// inProduction are settings with which a webhook service starts in production.
func inProduction(t *testing.T) config.Settings {
	s := settings.Default(t)
	s.Server.Env, s.Server.CookieSecure, s.Server.BaseURL = "production", "", "https://books.example.edu"
	s.Webhooks.Secret, s.Server.CachePurgeFormat = longToken, "varnish"
	return s
}

// concerned are the settings that the errors of a check name.
func concerned(err error) (names []string) {
	for _, one := range config.EachProblem(err) {
		names = append(names, config.Concerns(one)...)
	}
	return names
}

// inSettings is a change of the settings of production.
type inSettings struct {
	change func(*config.Settings)
	want   string // the setting that is refused; empty: production starts
}

func TestProductionRefusesAnAddressATokenOrAProxyThatIsInsecure(t *testing.T) {
	startsOrNames(t, map[string]inSettings{
		"as it should be":              {func(*config.Settings) {}, ""},
		"no address":                   {func(s *config.Settings) { s.Server.BaseURL = "" }, "BASE_URL"},
		"an address without TLS":       {func(s *config.Settings) { s.Server.BaseURL = "http://books.example.edu" }, "BASE_URL"},
		"an address of this machine":   {func(s *config.Settings) { s.Server.BaseURL = "http://127.0.0.1:3000" }, "BASE_URL"},
		"a short token of metrics":     {func(s *config.Settings) { s.Monitoring.MetricsToken = "fifteen letters" }, "METRICS_TOKEN"},
		"a long token of metrics":      {func(s *config.Settings) { s.Monitoring.MetricsToken = longToken }, ""},
		"a short token of a directory": {func(s *config.Settings) { s.Identity.SCIMToken = "fifteen letters" }, "SCIM_TOKEN"},
		"a short token of webhooks":    {func(s *config.Settings) { s.Webhooks.APIToken = "fifteen letters" }, "WEBHOOK_API_TOKEN"},
		"every proxy":                  {proxies("0.0.0.0/0"), "TRUSTED_PROXIES"},
		"every proxy in two halves":    {proxies("0.0.0.0/1", "128.0.0.0/1"), "TRUSTED_PROXIES"},
		"every proxy over IPv6":        {proxies("10.0.0.0/8", "::/0"), "TRUSTED_PROXIES"},
		"every mapped proxy":           {proxies("::ffff:0:0/96"), "TRUSTED_PROXIES"},
		"the proxies of an operator":   {proxies("10.0.0.0/8", "172.16.0.0/12", "fc00::/7", "203.0.113.7"), ""},
	})
}

func TestProductionRefusesConnectionsInClearText(t *testing.T) {
	startsOrNames(t, map[string]inSettings{
		"mail in clear text":             {smtp("smtp://mail.example.edu?tls=off"), "SMTP_URL"},
		"mail that may be in clear text": {smtp("smtp://mail.example.edu?tls=optional"), "SMTP_URL"},
		"mail over TLS":                  {smtp("smtp://mail.example.edu"), ""},
		"mail to a container":            {smtp("smtp://mail:1025?tls=off"), ""},
		"Redis in clear text":            {func(s *config.Settings) { s.Storage.RedisURL = "redis://redis.example.edu:6379" }, "REDIS_URL"},
		"a sentinel in clear text": {func(s *config.Settings) {
			s.Storage.RedisURL = "redis://10.0.0.1?master_name=m&addr=redis.example.edu:26379"
		}, "REDIS_URL"},
		"Redis over TLS":                    {func(s *config.Settings) { s.Storage.RedisURL = "rediss://redis.example.edu:6379" }, ""},
		"Redis in a private network":        {func(s *config.Settings) { s.Storage.RedisURL = "redis://10.1.2.3:6379" }, ""},
		"Redis in Kubernetes":               {func(s *config.Settings) { s.Storage.RedisURL = "redis://redis.octavo.svc.cluster.local:6379" }, ""},
		"a queue in clear text":             {func(s *config.Settings) { s.Storage.QueueURL = "nats://10.0.0.1:4222,nats://nats.example.edu:4222" }, "QUEUE_URL"},
		"a queue over TLS":                  {func(s *config.Settings) { s.Storage.QueueURL = "tls://nats.example.edu:4222" }, ""},
		"Postgres in clear text":            {postgres("postgres://o:p@db.example.edu/octavo?sslmode=disable"), "DATABASE_URL"},
		"Postgres as the server likes":      {postgres("postgres://o:p@db.example.edu/octavo"), "DATABASE_URL"},
		"one of two Postgres in clear text": {postgres("postgres://o:p@10.0.0.1,db.example.edu/octavo?sslmode=prefer"), "DATABASE_URL"},
		"Postgres over TLS":                 {postgres("postgres://o:p@db.example.edu/octavo?sslmode=require"), ""},
		"Postgres on this machine":          {postgres("postgres://o:p@127.0.0.1/octavo"), ""},
		"Postgres over a socket":            {postgres("postgres://o:p@/octavo?host=/run/postgresql"), ""},
		"a standby in clear text": {func(s *config.Settings) {
			postgres("postgres://10.0.0.1/o")(s)
			s.Storage.DatabaseReadURL = "postgres://db.example.edu/o"
		}, "DATABASE_READ_URL"},
		"purges in clear text":      {func(s *config.Settings) { s.Server.CachePurgeURL = "http://cache.example.edu" }, "CACHE_PURGE_URL"},
		"origins in clear text":     {func(s *config.Settings) { s.Server.AllowedOrigins = []string{"https://a.example", "http://b.example"} }, "ALLOWED_ORIGINS"},
		"an origin of this machine": {func(s *config.Settings) { s.Server.AllowedOrigins = []string{"http://localhost:5173"} }, ""},
		"invitations in clear text": {func(s *config.Settings) { s.Identity.InviteURL = "http://books.example.edu/join" }, "INVITE_URL"},
	})
}

func TestProductionRefusesCookiesOfOthers(t *testing.T) {
	startsOrNames(t, map[string]inSettings{
		"cookies of another host":          {func(s *config.Settings) { s.Server.CookieDomain = "example.org" }, "COOKIE_DOMAIN"},
		"cookies of a host below":          {func(s *config.Settings) { s.Server.CookieDomain = "a.books.example.edu" }, "COOKIE_DOMAIN"},
		"cookies of a name that only ends": {func(s *config.Settings) { s.Server.CookieDomain = "ooks.example.edu" }, "COOKIE_DOMAIN"},
		"cookies of a public suffix":       {func(s *config.Settings) { s.Server.CookieDomain = "edu" }, "COOKIE_DOMAIN"},
		"cookies of a suffix of two":       {func(s *config.Settings) { s.Server.BaseURL, s.Server.CookieDomain = "https://b.ac.uk", "ac.uk" }, "COOKIE_DOMAIN"},
		"cookies of a name with a dot":     {func(s *config.Settings) { s.Server.CookieDomain = "books.example.edu." }, "COOKIE_DOMAIN"},
		"cookies of an address":            {func(s *config.Settings) { s.Server.BaseURL, s.Server.CookieDomain = "https://192.0.2.1", "192.0.2.1" }, "COOKIE_DOMAIN"},
		"cookies of the domain":            {func(s *config.Settings) { s.Server.CookieDomain = ".example.edu" }, ""},
		"cookies for every site":           {func(s *config.Settings) { s.Server.CookieSameSite = "none" }, "COOKIE_SAMESITE"},
		"cookies for the sites of an origin": {func(s *config.Settings) {
			s.Server.CookieSameSite, s.Server.AllowedOrigins = "None", []string{"https://a.example"}
		}, ""},
	})
}

func startsOrNames(t *testing.T, cases map[string]inSettings) {
	t.Helper()
	for name, c := range cases {
		s := inProduction(t)
		c.change(&s)
		err := s.Validate(config.Components{Webhooks: true})
		switch names := concerned(err); {
		case c.want == "" && err != nil:
			t.Errorf("%s: refused: %v", name, err)
		case c.want != "" && (!errors.Is(err, config.ErrSetting) || !slices.Equal(names, []string{c.want})):
			t.Errorf("%s: refused because of %v, want %s: %v", name, names, c.want, err)
		}
	}
}

func proxies(networks ...string) func(*config.Settings) {
	return func(s *config.Settings) { s.Server.TrustedProxies = networks }
}

func smtp(address string) func(*config.Settings) {
	return func(s *config.Settings) { s.Mail.SMTPURL, s.Mail.MailFrom = address, "books@example.edu" }
}

func postgres(dsn string) func(*config.Settings) {
	return func(s *config.Settings) { s.Storage.DatabaseURL = dsn }
}

func TestEverythingThatIsInsecureIsInOneAnswer(t *testing.T) {
	insecure := func() config.Settings {
		s := inProduction(t)
		s.Server.BaseURL, s.Server.CachePurgeURL, s.Server.AllowedOrigins = "", "http://cache.example.edu", []string{"http://b.example"}
		s.Storage.RedisURL, s.Storage.QueueURL, s.Storage.DatabaseURL = "redis://redis.example.edu", "nats://nats.example.edu", "postgres://db.example.edu/o"
		s.Identity.InviteURL, s.Monitoring.MetricsToken, s.Server.TrustedProxies = "http://books.example.edu/join", "short", []string{"::/0"}
		smtp("smtp://mail.example.edu?tls=off")(&s)
		return s
	}
	s := insecure()
	want := []string{"BASE_URL", "METRICS_TOKEN", "TRUSTED_PROXIES", "SMTP_URL", "REDIS_URL", "QUEUE_URL", "DATABASE_URL", "CACHE_PURGE_URL", "ALLOWED_ORIGINS", "INVITE_URL"}
	err := s.Validate(config.Components{Webhooks: true})
	if names := concerned(err); !slices.Equal(names, want) || len(config.Lines(err)) != len(want) {
		t.Errorf("refused because of %v, want %v", names, want)
	}
	s = insecure()
	s.Server.AllowInsecure = []string{" SMTP", "redis", "postgres", "queue ", "purge", "origins", "invites"}
	if names := concerned(s.Validate(config.Components{Webhooks: true})); !slices.Equal(names, want[:3]) {
		t.Errorf("with ALLOW_INSECURE: %v, want %v", names, want[:3])
	}
	if s.Server.AllowInsecure = []string{"smpt"}; !strings.Contains(s.Validate().Error(), "ALLOW_INSECURE") {
		t.Error("a name that does not exist is accepted")
	}
	s = insecure()
	if s.Server.Env = "development"; s.Validate(config.All) != nil {
		t.Errorf("development refuses: %v", s.Validate(config.All))
	}
}
