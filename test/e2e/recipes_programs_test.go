package e2e_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	hooks "github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/gobuild"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

func TestTheReceiversOfTheRecipeAcceptADelivery(t *testing.T) {
	servers.NotShort(t, "built programs")
	t.Parallel()
	for name, c := range map[string]struct {
		file  string
		block int
		path  string
	}{
		"README": {"../../README.md", 0, "/api/host/webhooks"}, "net/http": {"receiver.md", 0, "/hooks"}, "gin": {"receiver.md", 1, "/hooks"},
		"chi": {"receiver.md", 2, "/hooks"}, "echo": {"receiver.md", 3, "/hooks"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "chi" || name == "echo" {
				deep.Only(t, "is the recipe of another router")
			}
			address := servers.Address(t)
			source := save(t, "main.go", strings.ReplaceAll(recipe(t, c.file, "go", c.block), "127.0.0.1:3000", address))
			program := filepath.Join(t.TempDir(), "receiver")
			build := []string{source}
			if name == "chi" || name == "echo" { // which are in a module file of their own
				build = []string{"-modfile=../tools/recipes.mod", source}
			}
			if err := gobuild.Program(t.Context(), "", program, build...); err != nil {
				t.Fatal(err)
			}
			log := start(t, nil, program)
			url := "http://" + address + c.path
			event := hooks.Event{ID: "one", Name: "push", Payload: []byte(`{"ref":"main"}`)}
			if status := deliver(t, hooks.SignedRequest("the secret shared with the sender", url, event)); status != http.StatusOK {
				t.Errorf("a delivery is answered with %d, want %d", status, http.StatusOK)
			}
			if out, err := os.ReadFile(log); err != nil || !strings.Contains(string(out), "push") || !strings.Contains(string(out), "one") {
				t.Errorf("the handler did not run: %v %s", err, out)
			}
			if status := deliver(t, hooks.SignedRequest("another secret", url, event)); status != http.StatusBadRequest {
				t.Errorf("a forged delivery is answered with %d, want %d", status, http.StatusBadRequest)
			}
		})
	}
}

// insecureClient is a client that accepts self-signed certificates.
var insecureClient = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}

// deliver sends a request as soon as the server listens.
func deliver(t *testing.T, req *http.Request) (status int) {
	t.Helper()
	poll.For(t, "the server listens", func() bool {
		body, err := req.GetBody()
		if err != nil {
			return false
		}
		req.Body = body
		resp, err := insecureClient.Do(req)
		if err != nil {
			return false
		}
		status = resp.StatusCode
		return resp.Body.Close() == nil
	})
	return status
}

// start runs a program with more environment variables until the test ends, and returns the
// file with its output.
func start(t *testing.T, env []string, program string, args ...string) string {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Wait() // the context of the test kills it
		_ = out.Close()
	})
	return out.Name()
}

func TestTheProxiesOfTheRecipePassOnTheClientAddress(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(t *testing.T, upstream string) (url string){"nginx": runNginx, "caddy": runCaddy} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := e2e.StartWith(t, []string{"TRUSTED_PROXIES=127.0.0.1/32", "LIMIT_SIGN_INS=1/1h"}, "market")
			url := run(t, strings.TrimPrefix(s.URL, "http://"))
			if status := deliver(t, through(t, "GET", url+"/readyz", "")); status != http.StatusOK {
				t.Errorf("/readyz is answered with %d, want %d", status, http.StatusOK)
			}
			if status := deliver(t, through(t, "GET", url+"/metrics", "")); status == http.StatusOK {
				t.Error("everybody can read the metrics")
			}
			for i, want := range []int{http.StatusUnauthorized, http.StatusTooManyRequests} { // one client, whatever address its header claims
				login := through(t, "POST", url+"/api/auth/login", `{"email":"ada@campus.edu","password":"wrong horse"}`)
				login.Header.Set("X-Forwarded-For", fmt.Sprintf("192.0.2.%d", i+1))
				if status := deliver(t, login); status != want {
					t.Errorf("sign-in %d is answered with %d, not %d", i+1, status, want)
				}
			}
		})
	}
}

// through sends a request to a proxy.
func through(t *testing.T, method, url, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	return r
}

// runNginx runs the server of the recipe on other ports, with a self-signed certificate.
func runNginx(t *testing.T, upstream string) string { return runNginxWith(t, upstream, "") }

// runNginxWith adds locations to the server of the recipe.
func runNginxWith(t *testing.T, upstream, locations string) string {
	t.Helper()
	return runNginxEdited(t, upstream, func(server string) string {
		return strings.Replace(server, "    location / {", locations+"    location / {", 1)
	})
}

// runNginxEdited runs the server of the recipe as edit returns it.
func runNginxEdited(t *testing.T, upstream string, edit func(server string) string) string {
	t.Helper()
	program := servers.Need(t, "nginx", "apt-get install nginx-light", "nginx", "/usr/sbin/nginx")
	certificate, key := selfSigned(t)
	address, plain, dir := servers.Address(t), servers.Address(t), t.TempDir()
	config := strings.NewReplacer(
		"/etc/letsencrypt/live/books.example.edu/fullchain.pem", certificate,
		"/etc/letsencrypt/live/books.example.edu/privkey.pem", key,
		"listen 443", "listen "+address, "listen 80", "listen "+plain, "127.0.0.1:3000", upstream,
	).Replace(edit(recipe(t, "proxy.md", "nginx", 0)))
	head := "daemon off;\nmaster_process off;\npid " + dir + "/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n"
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		head += kind + "_temp_path " + dir + "/" + kind + ";\n" // the default is for root
	}
	start(t, nil, program, "-p", dir, "-e", "stderr", "-c", save(t, "nginx.conf", head+config+"}\n"))
	return "https://" + address
}

func TestNginxAsksOctavoBeforeItPassesARequestOn(t *testing.T) {
	t.Parallel()
	s := e2e.StartWith(t, []string{"TRUSTED_PROXIES=127.0.0.1/32"}, "auth", "market")
	ada := s.Student("ada@campus.edu", "Ada")
	reports := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%s %s by %s, %s", r.Method, r.URL.Path, r.Header.Get("Octavo-User"), r.Header.Get("Octavo-Role"))
	}))
	defer reports.Close()
	locations := strings.Replace(recipe(t, "forward-auth.md", "nginx", 0), "127.0.0.1:9000", strings.TrimPrefix(reports.URL, "http://"), 1)
	proxy := runNginxWith(t, strings.TrimPrefix(s.URL, "http://"), locations)
	deliver(t, through(t, "GET", proxy+"/readyz", "")) // waits until it listens

	data, code := ada.GraphQL(t, "{ me { id } }", nil)
	var answer struct{ Me struct{ ID string } }
	if err := json.Unmarshal(data, &answer); err != nil || code != "" {
		t.Fatal(err, code)
	}
	ask := func(name, method, status, want string, headers ...string) {
		t.Helper()
		r := through(t, method, proxy+"/reports/today", "")
		r.Header.Set("Octavo-User", "1") // which nginx replaces
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		resp, err := insecureClient.Transport.RoundTrip(r) // which follows no redirect
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, _ := io.ReadAll(resp.Body)
		if got := resp.Header.Get("Location") + string(body); !strings.HasPrefix(resp.Status, status) || !strings.Contains(got, want) {
			t.Errorf("%s: %s %s", name, resp.Status, got)
		}
	}
	cookie, passed := "octavo_access="+ada.Token, fmt.Sprintf("/reports/today by %s, USER", answer.Me.ID)
	ask("nobody", "GET", "303", "/login?next=/reports/today")
	ask("an invalid token", "GET", "303", "/login", "Authorization", "Bearer x")
	ask("a token", "GET", "200", "GET "+passed, "Authorization", "Bearer "+ada.Token)
	ask("a cookie", "GET", "200", "GET "+passed, "Cookie", cookie)
	ask("a form of the site", "POST", "200", "POST "+passed, "Cookie", cookie, "Sec-Fetch-Site", "same-origin")
	ask("a form of another site", "POST", "403", "", "Cookie", cookie, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.test")
	if _, code := ada.GraphQL(t, "mutation { signOut }", nil); code != "" {
		t.Fatal(code)
	}
	ask("a session that has ended", "GET", "303", "/login", "Authorization", "Bearer "+ada.Token)
}

// runCaddy runs the site of the recipe in front of one program.
func runCaddy(t *testing.T, upstream string) string {
	t.Helper()
	return runCaddyWith(t, strings.ReplaceAll(recipe(t, "proxy.md", "caddy", 0), "127.0.0.1:3000", upstream))
}

// runCaddyWith runs a site on another port and without TLS, because Caddy would request a certificate from the network.
func runCaddyWith(t *testing.T, site string) string {
	t.Helper()
	program, address := servers.Need(t, "Caddy", "apt-get install caddy", "caddy"), servers.Address(t)
	env := []string{"XDG_DATA_HOME=" + t.TempDir(), "XDG_CONFIG_HOME=" + t.TempDir()}
	validate := exec.CommandContext(t.Context(), program, "adapt", "--config", save(t, "Caddyfile", site), "--adapter", "caddyfile", "--validate")
	validate.Env = append(os.Environ(), env...)
	if out, err := validate.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	site = strings.ReplaceAll(site, "books.example.edu", "http://"+address)
	start(t, env, program, "run", "--adapter", "caddyfile", "--config", save(t, "Caddyfile", "{\n\tadmin off\n}\n"+site))
	return "http://" + address
}

// selfSigned writes a self-signed certificate and its key, and returns their paths.
func selfSigned(t *testing.T) (certificate, key string) {
	t.Helper()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	pair := s.TLS.Certificates[0]
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, der []byte) string {
		return save(t, "pem", string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
	}
	return encode("CERTIFICATE", pair.Certificate[0]), encode("PRIVATE KEY", der)
}
