package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

func scrape(t *testing.T, url string) string {
	t.Helper()
	return string(e2e.Client{URL: url}.Must(t, http.StatusOK, "GET", "/metrics", nil).Body)
}

// expressions returns the queries of the alert rules and of the dashboard.
func expressions(t *testing.T) (all []string) {
	t.Helper()
	var rules struct {
		Groups []struct{ Rules []struct{ Expr string } }
	}
	if err := yaml.Unmarshal([]byte(read(t, "alerts.yaml")), &rules); err != nil {
		t.Fatal(err)
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			all = append(all, r.Expr)
		}
	}
	var board struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal([]byte(read(t, "dashboard.json")), &board); err != nil {
		t.Fatal(err)
	}
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			all = append(all, target.Expr)
		}
	}
	if len(all) < 20 {
		t.Fatalf("only %d expressions", len(all))
	}
	return all
}

var metricName = regexp.MustCompile(`\b(?:octavo|go|process)_[a-z_]+`)

var (
	counterType = regexp.MustCompile(`(?m)^# TYPE (\w+) counter$`)
	ratedName   = regexp.MustCompile(`(?:rate|increase)\((\w+)`)
)

// misused returns the gauges that a query uses as counters, and the counters that it uses as
// gauges. Buckets of histograms are counters.
func misused(text string, asked []string) (wrong []string) {
	counters := map[string]bool{}
	for _, m := range counterType.FindAllStringSubmatch(text, -1) {
		counters[m[1]] = true
	}
	for _, e := range asked {
		rated := map[string]bool{}
		for _, m := range ratedName.FindAllStringSubmatch(e, -1) {
			rated[m[1]] = true
		}
		for _, name := range metricName.FindAllString(e, -1) {
			if rated[name] != (counters[name] || strings.HasSuffix(name, "_bucket")) {
				wrong = append(wrong, name)
			}
		}
	}
	return wrong
}

// awaitMetrics waits until the programs together export every metric of the queries, and returns all that they
// export.
func awaitMetrics(t *testing.T, asked []string, urls ...string) (text string) {
	t.Helper()
	var missing []string
	if !poll.Until(func() bool {
		text, missing = "", nil
		for _, url := range urls {
			text += scrape(t, url)
		}
		for _, name := range metricName.FindAllString(strings.Join(asked, "\n"), -1) {
			if !strings.Contains(text, "\n"+name+"{") && !strings.Contains(text, "\n"+name+" ") {
				missing = append(missing, name)
			}
		}
		return len(missing) == 0
	}) {
		t.Errorf("these metrics are not exported: %q", missing)
	}
	return text
}

func TestEveryMetricOfTheDashboardAndTheAlertsExists(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	redis, target := servers.Redis(t), httptest.NewServer(http.NotFoundHandler())
	defer target.Close()
	inRedis := e2e.StartWith(t, []string{
		"REDIS_URL=" + redis.WithLongTimeouts(), "QUEUE_URL=" + redis.URL, "LIMIT_SIGN_INS=1/1h", "LIMIT_HASHING_QUEUE=1",
		"WEBHOOK_FORWARD=push=" + target.URL,
	}, "auth", "market", "webhooks", "mailer")
	alone := e2e.StartWith(t, []string{ // whose authority answers nothing
		"HTTPS=auto", "DOMAIN=" + bookName, "ACME_DIRECTORY=https://" + servers.Address(t),
		fmt.Sprintf("HTTPS_PORT=%d", servers.Port(t)), fmt.Sprintf("HTTP_PORT=%d", servers.Port(t)),
	})
	anyone := e2e.Client{URL: inRedis.URL}
	for range 3 {
		_, _ = anyone.GraphQL(t, `mutation { signIn(email: "ann@campus.edu", password: "correct horse battery staple") { expiresIn } }`, nil)
	}
	if _, code := anyone.GraphQL(t, `mutation { signUp(email: "ann@campus.edu", password: "correct horse battery staple") }`, nil); code != "" {
		t.Fatal(code)
	}
	inRedis.Mail("ann@campus.edu", "verification")
	if out, code := inRedis.Octavo("webhooks", "send", "push", "--to", inRedis.URL+"/api/host/webhooks"); code != 0 {
		t.Fatalf("webhooks send: %d, want 0: %s", code, out)
	}
	if out, code := alone.Octavo("backup", filepath.Join(t.TempDir(), "backup")); code != 0 {
		t.Fatalf("backup: %d, want 0: %s", code, out)
	}
	asked := expressions(t)
	text := awaitMetrics(t, asked, inRedis.URL, alone.URL)
	if wrong := misused(text, asked); len(wrong) > 0 {
		t.Errorf("these queries use a gauge as a counter or a counter as a gauge: %q", wrong)
	}
	if strings.Contains(text, `limit="record"`) {
		t.Error("an audit entry is counted as a refusal")
	}
	for _, want := range []string{
		`octavo_mail_settled_total{kind="book_sold",verdict="dead"} 0`,
		`octavo_limits_hit_total{limit="sign-ins or sign-in failures"} 2`, "octavo_sessions_live 0", `go_sql_open_connections{db_name="main writer"} 1`,
		"# TYPE octavo_redis_pool_timeouts_total counter",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics have no %s", want)
		}
	}
}

func TestUnknownAddressesAreOneRouteInTheMetrics(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	s := e2e.Start(t, "auth")
	anyone := e2e.Client{URL: s.URL}
	for _, path := range []string{"/graphql/x", "/graphql/y/z", "/nothing"} {
		a := anyone.Must(t, http.StatusNotFound, "GET", path, nil)
		if strings.HasPrefix(path, "/graphql") && !strings.Contains(string(a.Body), `"code":"NOT_FOUND"`) {
			t.Errorf("%s: %s", path, a.Body)
		}
	}
	if text := scrape(t, s.URL); !strings.Contains(text, `octavo_http_requests_total{method="GET",route="none",status="404"} 3`) || strings.Contains(text, "/graphql/x") {
		t.Error("unknown addresses are not counted together")
	}
}

// promtool of Prometheus reads the rules, and plays them over made-up series.
func TestAlertsFireWhenTheyShouldAndOnlyThen(t *testing.T) {
	t.Parallel()
	promtool := servers.Need(t, "promtool", "apt-get install prometheus", "promtool")
	rules := must.Get(filepath.Abs("../../deploy/alerts.yaml"))(t)
	command(t, promtool, "check", "rules", rules)
	cases := string(must.Get(os.ReadFile("testdata/alerts_test.yaml"))(t))
	command(t, promtool, "test", "rules", save(t, "alerts_test.yaml", strings.ReplaceAll(cases, "ALERTS", rules)))
}
