package e2e_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/gobuild"
	"github.com/octavo-books/octavo/test/servers"
)

// printedBy returns what a command has printed after a name and a colon.
func printedBy(t *testing.T, s *e2e.Server, name string, args ...string) string {
	t.Helper()
	out, code := s.Octavo(args...)
	found := regexp.MustCompile(`(?m)^` + name + `: (\S+)$`).FindStringSubmatch(out)
	if code != 0 || found == nil {
		t.Fatalf("%v: %d %s", args, code, out)
	}
	return found[1]
}

func TestTheRecipesOfMachinesCallAnAPIUntilTheMachineIsRemoved(t *testing.T) {
	servers.NotShort(t, "built programs")
	t.Parallel()
	node := servers.Need(t, "Node", "apt-get install nodejs", "node")
	s := e2e.Start(t)
	out, code := s.Octavo("resources", "add", "Prices", "--identifier", "https://prices.example.edu", "--scope", "read,write")
	ids := regexp.MustCompile(`^resource_id: (\S+)\nresource_secret: (\S+)\n$`).FindStringSubmatch(out)
	if code != 0 || ids == nil {
		t.Fatal(out)
	}
	address := servers.Address(t)
	local := strings.NewReplacer(recipeServer, s.URL, "127.0.0.1:9000", address)
	key := filepath.Join(t.TempDir(), "robot.pem")
	output(t, servers.Need(t, "OpenSSL", "apt-get install openssl", "openssl"), "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key)
	jwks := save(t, "robot.jwks", output(t, node, save(t, "jwks.mjs", recipe(t, "machines.md", "js", 0)), key))
	robot := printedBy(t, s, "client_id", "clients", "add", "Robot", "--machine", "--jwks", jwks, "--resource", ids[1], "--scope", "read")

	program := filepath.Join(t.TempDir(), "prices")
	if err := gobuild.Program(t.Context(), "", program, save(t, "main.go", local.Replace(recipe(t, "machines.md", "go", 0)))); err != nil {
		t.Fatal(err)
	}
	start(t, []string{"RESOURCE_ID=" + ids[1], "RESOURCE_SECRET=" + ids[2]}, program)
	deliver(t, through(t, "GET", "http://"+address+"/prices", "")) // waits until it listens
	call := save(t, "robot.mjs", local.Replace(recipe(t, "machines.md", "js", 1)))
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "behind nginx") }))
	defer behind.Close()
	locations := strings.Replace(local.Replace(recipe(t, "machines.md", "nginx", 0)), "127.0.0.1:9001", strings.TrimPrefix(behind.URL, "http://"), 1)
	proxy := runNginxWith(t, strings.TrimPrefix(s.URL, "http://"), locations)
	deliver(t, through(t, "GET", proxy+"/readyz", "")) // waits until it listens

	if out := output(t, node, call, key, robot); out != "200 prices for "+robot+"\n" {
		t.Errorf("the robot got %s", out)
	}
	secret := printedBy(t, s, "client_secret", "clients", "update", robot, "--jwks", "")
	token := machineToken(t, s, robot, secret, url.Values{"grant_type": {"client_credentials"}})
	through := func(token string) int {
		r := through(t, "GET", proxy+"/protected/", "")
		r.Header.Set("Authorization", "Bearer "+token)
		return deliver(t, r)
	}
	if status := through(token); status != 200 {
		t.Errorf("nginx answers %d", status)
	}
	if out, code := s.Octavo("clients", "sessions", robot); code != 0 || strings.Count(out, "\n") != 3 {
		t.Errorf("sessions: %s", out)
	}
	if out, code := s.Octavo("clients", "remove", robot); code != 0 || !strings.Contains(out, "Sessions ended: 2.") {
		t.Errorf("removed: %s", out)
	}
	if status := through(token); status != 401 {
		t.Errorf("after the machine was removed nginx answers %d", status)
	}
}

// output runs a program and returns what it prints.
func output(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v %s", program, args, err, out)
	}
	return string(out)
}

// askToken asks the token endpoint or another one with a secret.
func askToken(t *testing.T, address, id, secret string, form url.Values) (int, map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(id, secret)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var body map[string]any
	_ = json.NewDecoder(answer.Body).Decode(&body)
	return answer.StatusCode, body
}

func machineToken(t *testing.T, s *e2e.Server, id, secret string, form url.Values) string {
	t.Helper()
	status, body := askToken(t, s.URL+"/oauth2/token", id, secret, form)
	token, _ := body["access_token"].(string)
	if status != 200 || body["token_type"] != "Bearer" || body["refresh_token"] != nil || body["id_token"] != nil {
		t.Fatalf("%d %v", status, body)
	}
	return token
}

func TestAMachineIsToldWhatItMayNot(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	resource, code := s.Octavo("resources", "add", "Prices", "--identifier", "https://prices.example.edu", "--scope", "read,write")
	ids := regexp.MustCompile(`: (\S+)`).FindAllStringSubmatch(resource, -1)
	if code != 0 || len(ids) != 2 {
		t.Fatal(resource)
	}
	added, code := s.Octavo("clients", "add", "Robot", "--machine", "--resource", ids[0][1], "--scope", "read")
	robot := regexp.MustCompile(`: (\S+)`).FindAllStringSubmatch(added, -1)
	if code != 0 || len(robot) != 2 {
		t.Fatal(added)
	}
	application := printedBy(t, s, "client_id", "clients", "add", "App", "--redirect-uri", "https://app.example/cb")
	grant := func(pairs ...string) url.Values {
		form := url.Values{"grant_type": {"client_credentials"}}
		for i := 0; i < len(pairs); i += 2 {
			form.Set(pairs[i], pairs[i+1])
		}
		return form
	}
	id, secret := robot[0][1], robot[1][1]
	for _, c := range []struct {
		id, secret string
		form       url.Values
		status     int
		code       string
	}{
		{id, "wrong", grant(), 401, "invalid_client"}, {"m1", secret, grant(), 401, "invalid_client"}, {application, "x", grant(), 400, "unauthorized_client"},
		{id, secret, grant("scope", "write"), 400, "invalid_scope"}, {id, secret, grant("resource", "https://a.example"), 400, "invalid_target"},
		{id, secret, grant("client_assertion", "a.b.c"), 400, "invalid_request"}, {id, secret, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"x"}}, 401, "invalid_client"},
	} {
		if status, body := askToken(t, s.URL+"/oauth2/token", c.id, c.secret, c.form); status != c.status || body["error"] != c.code {
			t.Errorf("%s %v: %d %v, want %d %s", c.id, c.form, status, body, c.status, c.code)
		}
	}
	token := machineToken(t, s, id, secret, grant("resource", "https://prices.example.edu", "scope", "read"))
	status, info := askToken(t, s.URL+"/oauth2/introspect", ids[0][1], ids[1][1], url.Values{"token": {token}})
	if status != 200 || info["active"] != true || info["aud"] != "https://prices.example.edu" || info["sub"] != id || info["client_id"] != id || info["scope"] != "read" {
		t.Errorf("%d %v", status, info)
	}
	if status, _ := askToken(t, s.URL+"/oauth2/introspect", ids[0][1], "wrong", url.Values{"token": {token}}); status != 401 {
		t.Errorf("a wrong secret of the resource: %d", status)
	}
	for path, want := range map[string]int{"/oauth2/userinfo": 401, "/api/user/getUserData": 401} {
		if status, body := e2eGet(t, s.URL+path, token); status != want {
			t.Errorf("%s with a machine's token: %d %s", path, status, body)
		}
	}
	if strings.Contains(s.Log(), token) || strings.Contains(s.Log(), secret) {
		t.Error("the log has a secret")
	}
}

func e2eGet(t *testing.T, address, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(body)
}
