// Package doctor checks settings, databases and other dependencies and says what an
// operator should do about what it finds.
package doctor

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/octavo-books/octavo/cmd/config"
)

// The timeouts of each check. Whoever asks for a deep one has time.
const (
	checkTimeout = 10 * time.Second
	deepTimeout  = 2 * time.Minute
)

// check examines one dependency of the components.
type check func(context.Context, *config.Settings, config.Components) []finding

// checks are all checks, each with the settings without which it would say nothing new.
var checks = []struct {
	run   check
	needs []string
}{
	{checkSettings, nil},
	{checkAddresses, []string{"BASE_URL", "COOKIE_SECURE"}},
	{checkFolders, []string{"DATA_DIR", "DATABASE_URL"}},
	{checkUser, nil},
	{checkPort, []string{"HOST", "PORT"}},
	{checkCertificate, []string{"HTTPS", "DOMAIN", "DATA_DIR"}},
	{checkKeys, keys},
	{checkIDTokenKey, append([]string{"OIDC_SIGNING_KEY"}, database...)},
	{checkDatabases, database},
	{checkFingerprints, slices.Concat(database, keys, []string{"OIDC_SIGNING_KEY", "PREVIOUS_PRIVATE_KEYS"})},
	{checkStandby, append([]string{"DATABASE_READ_URL", "READ_MAX_LAG"}, database...)},
	{checkEvents, database},
	{checkWork, database},
	{checkMismatches, slices.Concat(database, keys, []string{"WEBHOOK_SECRET"})},
	{checkBlobs, []string{"BLOB_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}},
	{checkRedis, []string{"REDIS_URL"}},
	{checkQueue, []string{"QUEUE_URL"}},
	{checkMail, []string{"SMTP_URL", "MAIL_FROM"}},
	{checkSupport, []string{"SUPPORT_MAIL"}},
	{checkHandovers, append([]string{"HANDOVER", "BASE_URL"}, database...)},
	{checkTraces, nil},
	{checkCachePurge, []string{"CACHE_PURGE_URL", "CACHE_PURGE_TOKEN", "CACHE_PURGE_FORMAT"}},
	{checkProviders, []string{"OIDC_PROVIDERS", "BASE_URL"}},
	{checkSAMLProviders, []string{"SAML_PROVIDERS", "SAML_KEY", "BASE_URL"}},
	{checkBreakGlass, append([]string{"SIGN_IN"}, database...)},
	{checkISBNTable, []string{"ISBN_TABLE"}},
	{checkSources, []string{"WEBHOOK_SOURCES"}},
	{checkRules, []string{"WEBHOOK_RULES", "WEBHOOK_FORWARD", "WEBHOOK_SOURCES", "WEBHOOK_SENDER"}},
	{checkAlerts, []string{"ALERT_URL"}},
}

var (
	database = []string{"DATA_DIR", "DATABASE_URL", "DATABASE_DIRECT_URL"}
	keys     = []string{"PUBLIC_KEY", "PRIVATE_KEY"}
)

// Options choose what Examine checks and how it prints.
type Options struct {
	Components []string                       // names; none means config.All
	Deep       bool                           // read every table and index, without a time limit
	Paint      func(code, text string) string // colours for a terminal
}

// Verdict sums up what Examine has found.
type Verdict int

// What Examine can find.
const (
	Healthy       Verdict = iota // at most warnings
	Unhealthy                    // something does not work
	Misconfigured                // a setting is wrong or missing: octavo serve refuses to start
)

// Examine checks the settings and every dependency of the components, prints what it
// finds and what to do. Whatever does not depend on a wrong setting is checked, too. It creates
// nothing.
func Examine(ctx context.Context, s config.Settings, o Options, out io.Writer) (Verdict, error) {
	parts, err := config.ParseComponents(o.Components)
	if err != nil {
		return Unhealthy, err
	}
	e := &examination{settings: &s, parts: parts, out: tabwriter.NewWriter(out, 0, 0, 2, ' ', 0), paint: o.Paint, timeout: checkTimeout}
	if o.Deep {
		e.timeout = deepTimeout
	}
	e.readSettings()
	for _, c := range checks {
		if !e.dependsOnWrong(c.needs) {
			e.run(ctx, c.run)
		}
	}
	if o.Deep && !e.dependsOnWrong(database) {
		e.print(checkDeeply(ctx, &s, parts))
	}
	return e.verdict, e.out.Flush()
}

// examination is one run of the checks.
type examination struct {
	settings *config.Settings
	parts    config.Components
	wrong    []string // names of settings
	verdict  Verdict
	out      *tabwriter.Writer
	paint    func(code, text string) string
	timeout  time.Duration
}

// readSettings prints every setting that is wrong or missing, or that there is none.
func (e *examination) readSettings() {
	wrong := config.EachProblem(e.settings.Validate(e.parts))
	e.settings.DeriveAddresses(nil)
	if len(wrong) == 0 {
		e.print([]finding{passed("settings", "%s, for %s at %s", e.settings.Server.Env, e.parts, e.settings.Server.BaseURL)})
	}
	for _, err := range wrong {
		e.print([]finding{failed("settings", err, "")})
		e.wrong, e.verdict = append(e.wrong, config.Concerns(err)...), Misconfigured
	}
}

func (e *examination) dependsOnWrong(needs []string) bool {
	return slices.ContainsFunc(needs, func(name string) bool { return slices.Contains(e.wrong, name) })
}

func (e *examination) run(ctx context.Context, c check) {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	e.print(c(ctx, e.settings, e.parts))
}

func (e *examination) print(all []finding) {
	for _, f := range all {
		if f.state == failure {
			e.verdict = max(e.verdict, Unhealthy)
		}
		f.print(e.out, e.paint)
	}
}

// CheckRunning asks the server of these settings on this machine whether it is alive.
func CheckRunning(ctx context.Context, s config.Settings) error {
	s.Normalise()
	address := "http://" + s.LocalAddress(nil) + "/healthz"
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", address, resp.Status)
	}
	return nil
}
