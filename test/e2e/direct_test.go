package e2e_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

// Another site can let its name resolve to this machine. Its pages can then read everything
// that the program answers under that name.
func TestOtherSitesAndProxiesReadNeitherMailsNorMetricsNorProfiles(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t) // replicas would share the address of the profiles
	address := servers.Address(t)
	s := e2e.StartWith(t, []string{"HOST=0.0.0.0", "BASE_URL=http://octavo.lan:8080", "PPROF_ADDR=" + address}, "auth")
	for _, url := range []string{
		s.URL + "/metrics", s.URL + "/dev/mail", s.URL + "/dev/mail.json", "http://" + address + "/debug/pprof/",
	} {
		for name, c := range map[string]struct {
			host, header string
			want         int
		}{
			"by its own address": {"", "", http.StatusOK},
			"by localhost":       {"localhost:3000", "", http.StatusOK},
			"by BASE_URL's host": {"octavo.lan:8080", "", http.StatusOK},
			"by another name":    {"evil.test", "", http.StatusForbidden},
			"X-Forwarded-For":    {"", "X-Forwarded-For", http.StatusForbidden},
			"X-Forwarded-Proto":  {"", "X-Forwarded-Proto", http.StatusForbidden},
			"Forwarded":          {"", "Forwarded", http.StatusForbidden},
			"X-Real-IP":          {"", "X-Real-IP", http.StatusForbidden},
			"Via":                {"localhost", "Via", http.StatusForbidden},
		} {
			if status, body := getAs(t, url, c.host, c.header); status != c.want {
				t.Errorf("%s %s: %d %.200s", url, name, status, body)
			}
		}
	}
	if status, body := getAs(t, s.URL+"/readyz", "evil.test", "Via"); status != http.StatusOK {
		t.Errorf("/readyz reveals something: %d %s", status, body)
	}
}

func TestTheMetricsTokenOpensTheMetricsFromAnywhere(t *testing.T) {
	t.Parallel()
	s := e2e.StartWith(t, []string{"METRICS_TOKEN=open sesame"}, "auth")
	r := requestAs(t, s.URL+"/metrics", "metrics.campus.edu", "X-Forwarded-For")
	r.Header.Set("Authorization", "Bearer open sesame")
	if status, body := sent(t, r); status != http.StatusOK || !strings.Contains(body, "octavo_build_info") {
		t.Errorf("answered %d %.200s", status, body)
	}
	if status, _ := getAs(t, s.URL+"/metrics", "", ""); status != http.StatusUnauthorized {
		t.Errorf("without the token: %d", status)
	}
}

// requestAs sends a request with another Host header, and with the header of a proxy, unless
// they are empty.
func requestAs(t *testing.T, url, host, header string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		r.Host = host
	}
	if header != "" {
		r.Header.Set(header, "127.0.0.1")
	}
	return r
}

func getAs(t *testing.T, url, host, header string) (int, string) {
	t.Helper()
	return sent(t, requestAs(t, url, host, header))
}

func sent(t *testing.T, r *http.Request) (int, string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}
