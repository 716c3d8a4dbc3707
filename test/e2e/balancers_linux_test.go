package e2e_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

func TestTheLoadBalancersOfTheRecipeHideAReplicaThatIsGone(t *testing.T) {
	servers.NotShort(t, "three replicas")
	skipOverReplicas(t)
	t.Parallel()
	for name, run := range map[string]func(t *testing.T, f *e2e.Fleet) (url string){"caddy": balanceByCaddy, "nginx": balanceByNginx, "haproxy": balanceByHAProxy} {
		t.Run(name, func(t *testing.T) {
			if name != "caddy" {
				deep.Only(t, "is the recipe of another balancer")
			}
			t.Parallel()
			f := e2e.StartFleet(t, 3, nil, "market")
			b := balancer{t, run(t, f)}
			deliver(t, through(t, "GET", b.url+"/healthz", "")) // waits until it listens
			b.serves("three replicas")
			f.Replicas[0].Kill()
			b.serves("one of them killed")
			f.Replicas[1].Signal(os.Interrupt)
			f.Replicas[1].Wait()
			b.serves("another one stopped")
			f.Replicas[0].Restart()
			f.Replicas[2].Kill()
			poll.For(t, "the balancer has noticed both", func() bool { status, _ := b.ask("GET", "/readyz", ""); return status == http.StatusOK })
			b.serves("the first one back, alone")

			f.Replicas[1].Restart()
			f.Redis.Kill()
			b.hasOctavosOwnWords()
			f.Redis.Restart()
			poll.For(t, "requests are answered again", func() bool { status, _ := b.ask("GET", "/readyz", ""); return status == http.StatusOK })
			b.serves("Redis is back")
		})
	}
}

// balancer is a load balancer in front of replicas.
type balancer struct {
	t   *testing.T
	url string
}

func (b balancer) ask(method, path, body string) (status int, answer string) {
	b.t.Helper()
	resp, err := insecureClient.Do(through(b.t, method, b.url+path, body))
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode, resp.Header.Get("Retry-After") + " " + string(must.Get(io.ReadAll(resp.Body))(b.t))
}

// serves expects that people who read notice nothing, and that those who write do so no longer when the balancer has had the time
// to notice: Caddy 2.6 gives a request with a body to no second replica.
func (b balancer) serves(when string) {
	b.t.Helper()
	for range 12 {
		if status, answer := b.ask("GET", "/api/books/getBooksNoToken/5/0", ""); status != http.StatusOK {
			b.t.Errorf("%s: the books are answered with %d: %s", when, status, answer)
		}
	}
	poll.For(b.t, when+": each of twelve sign-ins reaches a replica", func() bool {
		for range 12 {
			if status, _ := b.ask("POST", "/api/auth/login", `{"email":"ada@campus.edu"}`); status != http.StatusBadRequest {
				return false
			}
		}
		return true
	})
}

// hasOctavosOwnWords expects that requests reach replicas of which none is ready.
func (b balancer) hasOctavosOwnWords() {
	b.t.Helper()
	poll.For(b.t, "no replica is ready", func() bool { status, _ := b.ask("GET", "/readyz", ""); return status != http.StatusOK })
	poll.For(b.t, "each of twelve sign-ins is refused in Octavo's words", func() bool {
		for range 12 {
			status, answer := b.ask("POST", "/api/auth/login", `{"email":"ada@campus.edu","password":"wrong horse"}`)
			if status != http.StatusServiceUnavailable || !strings.Contains(answer, `"code"`) {
				return false
			}
		}
		return true
	})
}

// behind replaces the replicas of a recipe by those of the test.
func behind(text string, f *e2e.Fleet) string {
	for i, private := range []string{"10.0.0.11:3000", "10.0.0.12:3000", "10.0.0.13:3000"} {
		text = strings.ReplaceAll(text, private, strings.TrimPrefix(f.Replicas[i].URL, "http://"))
	}
	return text
}

func balanceByCaddy(t *testing.T, f *e2e.Fleet) string {
	return runCaddyWith(t, behind(recipe(t, "replicas.md", "caddy", 0), f))
}

func balanceByNginx(t *testing.T, f *e2e.Fleet) string {
	upstream, location := behind(recipe(t, "replicas.md", "nginx", 0), f), recipe(t, "replicas.md", "nginx", 1)
	return runNginxEdited(t, "", func(server string) string {
		return upstream + strings.Replace(server, "        proxy_pass http://127.0.0.1:3000;\n", location, 1)
	})
}

func balanceByHAProxy(t *testing.T, f *e2e.Fleet) string {
	certificate, key := selfSigned(t)
	both := string(must.Get(os.ReadFile(certificate))(t)) + string(must.Get(os.ReadFile(key))(t))
	address, plain := servers.Address(t), servers.Address(t)
	settings := strings.NewReplacer("/etc/haproxy/octavo.pem", save(t, "octavo.pem", both), "bind :80", "bind "+plain, "bind :443", "bind "+address).
		Replace(behind(recipe(t, "replicas.md", "haproxy", 0), f))
	program := servers.Need(t, "haproxy", "apt-get install haproxy", "haproxy", "/usr/sbin/haproxy")
	if out, err := exec.CommandContext(t.Context(), program, "-c", "-f", save(t, "haproxy.cfg", settings)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	servers.HAProxy(t, address, settings)
	resp := must.Get(insecureClient.Transport.RoundTrip(through(t, "GET", "http://"+plain+"/books", "")))(t)
	if location := resp.Header.Get("Location"); resp.StatusCode != http.StatusMovedPermanently || !strings.HasPrefix(location, "https://") || resp.Body.Close() != nil {
		t.Errorf("a plain request is answered with %d to %s", resp.StatusCode, location)
	}
	return "https://" + address
}
