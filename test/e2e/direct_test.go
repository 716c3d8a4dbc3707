package e2e_test

import (
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
			headers []string
			want    int
		}{
			"by its own address": {nil, http.StatusOK},
			"by localhost":       {[]string{"Host", "localhost:3000"}, http.StatusOK},
			"by BASE_URL's host": {[]string{"Host", "octavo.lan:8080"}, http.StatusOK},
			"by another name":    {[]string{"Host", "evil.test"}, http.StatusForbidden},
			"X-Forwarded-For":    {[]string{"X-Forwarded-For", "127.0.0.1"}, http.StatusForbidden},
			"Via":                {[]string{"Host", "localhost", "Via", "127.0.0.1"}, http.StatusForbidden},
		} {
			if r, body := exchange(t, "GET", url, "", c.headers...); r.StatusCode != c.want {
				t.Errorf("%s %s: %d %.200s", url, name, r.StatusCode, body)
			}
		}
	}
	if r, body := exchange(t, "GET", s.URL+"/readyz", "", "Host", "evil.test", "Via", "127.0.0.1"); r.StatusCode != http.StatusOK {
		t.Errorf("/readyz reveals something: %d %s", r.StatusCode, body)
	}
}

func TestTheMetricsTokenOpensTheMetricsFromAnywhere(t *testing.T) {
	t.Parallel()
	s := e2e.StartWith(t, []string{"METRICS_TOKEN=open sesame"}, "auth")
	r, body := exchange(t, "GET", s.URL+"/metrics", "", "Host", "metrics.campus.edu", "X-Forwarded-For", "127.0.0.1", "Authorization", "Bearer open sesame")
	if r.StatusCode != http.StatusOK || !strings.Contains(body, "octavo_build_info") {
		t.Errorf("answered %d %.200s", r.StatusCode, body)
	}
	if r, _ := exchange(t, "GET", s.URL+"/metrics", ""); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token: %d", r.StatusCode)
	}
}
