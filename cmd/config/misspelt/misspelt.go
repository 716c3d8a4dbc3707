// Package misspelt finds environment variables that are no settings, but were probably meant as such.
package misspelt

import (
	"regexp"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/yamllist"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/typo"
)

// Variable is an environment variable that is no setting, but looks like one.
type Variable struct {
	Name  string
	Meant string // the nearest setting; "" if none is near
}

// Advice says what to do about it.
func (m Variable) Advice() string {
	switch {
	case m.Meant == "":
		return "octavo help settings lists all settings"
	case m.Name == m.Meant+"_FILE":
		return "set " + m.Meant + " itself; only secrets are read from files"
	}
	return "did you mean " + m.Meant + "?"
}

// families are the beginnings of names that nobody but Octavo is likely to read.
var families = []string{
	"OCTAVO_", "WEBHOOK_", "WEBHOOKS_", "LIMIT_", "LIMITS_", "OIDC_", "SAML_", "SMTP_", "MAIL_", "REQUIRE_",
	"ALLOW_", "ALLOWED_", "TRUSTED_",
	"COOKIE_", "CACHE_PURGE_",
	"MARKET_", "CAMPUS_", "BLOB_", "JWT_", "BCRYPT_", "ACCESS_TOKEN_", "ALERT_", "METRICS_", "SAML_", "SCIM_", "ACME_", "AUDIT_", "REPORT_",
	"ISBN_",
}

// ownVariables are the other variables of Octavo, its tests and its builds.
var ownVariables = []string{"OCTAVO_TEST_", "OCTAVO_E2E_", "OCTAVO_CHAOS", "OCTAVO_CLUSTER", "OCTAVO_PICTURES", "OCTAVO_BENCH"}

var (
	serviceLink    = regexp.MustCompile(`_(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR|START|END))?|ENV_\w+)$`)
	serviceAddress = regexp.MustCompile(`^(tcp|udp|sctp)://`)
)

// isServiceLink recognises what Kubernetes and Docker set in a container for each service near it:
// for one called smtp, SMTP_SERVICE_HOST, SMTP_PORT_25_TCP_ADDR, and SMTP_PORT with an address.
func isServiceLink(name, value string) bool {
	return serviceLink.MatchString(name) || strings.HasSuffix(name, "_PORT") && serviceAddress.MatchString(value) ||
		strings.HasSuffix(name, "_NAME") && strings.HasPrefix(value, "/")
}

// Find returns the variables of an environment, as of os.Environ, that somebody probably
// meant as settings. What the rules and sources of webhooks refer to is none of them.
func Find(s *config.Settings, environ []string) (all []Variable) {
	rules, _ := yamllist.ReadFile(s.Webhooks.Rules) // Check reports the error
	sources, _ := yamllist.ReadFile(s.Webhooks.Sources)
	texts := string(rules) + string(sources)
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if value == "" || isServiceLink(name, value) || strings.Contains(texts, "${"+name+"}") {
			continue
		}
		if meant, looks := misspelt(name); looks {
			all = append(all, Variable{name, meant})
		}
	}
	slices.SortFunc(all, func(a, b Variable) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// misspelt reports whether a name that is no setting looks like one, and the setting meant.
func misspelt(name string) (meant string, looks bool) {
	names := config.Names()
	secret, inFile := strings.CutSuffix(name, "_FILE")
	switch {
	case slices.Contains(names, name), inFile && slices.Contains(config.Secrets, secret), strings.HasPrefix(name, "OTEL_"):
		return "", false
	case inFile && slices.Contains(names, secret): // it cannot be read from a file
		return secret, true
	case slices.ContainsFunc(ownVariables, func(own string) bool { return strings.HasPrefix(name, own) }):
		return "", false
	}
	upper := strings.ToUpper(name)
	meant = nearestSetting(upper, names)
	if meant == "" && slices.ContainsFunc(families, func(family string) bool { return strings.HasPrefix(upper, family) }) {
		return typo.Nearest(upper, names), true
	}
	return meant, meant != ""
}

// nearestSetting returns the setting, or its _FILE, of which a name is a misspelling: in one
// letter if it is short, in up to three if it is long. Names as short as HOST and PORT are too
// close to HOME and others.
func nearestSetting(name string, names []string) string {
	for _, secret := range config.Secrets {
		names = append(names, secret+"_FILE")
	}
	nearest := typo.Nearest(name, names)
	if nearest == "" || len(nearest) < 6 || typo.Distance(name, nearest) > min(3, 1+(len(name)-6)/4) {
		return ""
	}
	return nearest
}
