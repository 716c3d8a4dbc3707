package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

func TestTheClientForGoSignsInAndRefreshesOnce(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "auth")
	runIn(t, "../../docs/clients/go", s.URL, "go", "test", "-count=1", "-v", ".")
}

func TestTheClientForTypeScript(t *testing.T) {
	t.Parallel()
	folder := typeScriptClient(t)
	t.Run("signs in and refreshes once in Node", func(t *testing.T) {
		t.Parallel()
		runIn(t, folder, e2e.Start(t, "auth").URL, "node", "--test", "test/")
	})
	t.Run("refreshes once in the tabs of a browser", func(t *testing.T) {
		t.Parallel()
		refreshesOnceInTabs(t, folder)
	})
	t.Run("takes people through its sign-in in a browser", func(t *testing.T) {
		t.Parallel()
		signsInByTheForm(t, folder)
	})
	t.Run("is small", func(t *testing.T) {
		t.Parallel()
		staysSmall(t, folder)
	})
}

// runIn runs the tests of a client against a server.
func runIn(t *testing.T, folder, url string, command ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "OCTAVO_URL="+url)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
}

// typeScriptClient checks the types of the client strictly, compiles it and returns its folder.
func typeScriptClient(t *testing.T) string {
	t.Helper()
	servers.Need(t, "Node", "apt-get install nodejs", "node")
	packages := filepath.Join(fromNPM(t, "typescript"), "node_modules")
	folder := filepath.Join(t.TempDir(), "client")
	if err := os.CopyFS(folder, os.DirFS("../../docs/clients/typescript")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(packages, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	compiler := filepath.Join(packages, "typescript/lib/tsc.js")
	runIn(t, folder, "", "node", compiler, "--project", "tsconfig.test.json")
	runIn(t, folder, "", "node", compiler, "--noCheck") // which the first run has done
	return folder
}

// tabsPage signs in, and opens tabs of itself as frames, each of which calls five times at once.
// It shows the result of either in its title. The answer to a refresh reaches a tab when the first
// fifteen calls of all tabs have got theirs: a call that is refused after the refresh of another tab
// would rightly refresh again.
const tabsPage = `<!doctype html><title>loading</title><body></body><script type="module">
import { Me, Octavo, SignIn } from "/client/index.js";
const fetchNow = window.fetch;
window.answered = 0;
window.fetch = async (url, options) => {
  const answer = await fetchNow(url, options), body = await answer.text();
  if (!options.body.includes("RefreshSession")) window.top.answered++;
  else while (window.top.answered < 15) await new Promise((go) => { setTimeout(go, 20); });
  return new Response(body, answer);
};
const client = new Octavo({ url: new URLSearchParams(location.search).get("api") ?? "", mode: "cookies" });
const show = (promise) => promise.then((text) => { document.title = text; }, (error) => { document.title = error.code + " " + error.message; });
window.calls = () => Promise.all(Array.from({ length: 5 }, () => client.run(Me, {}))).then((all) => all.map(({ me }) => me.email).join());
window.signIn = (email, password) => show(client.run(SignIn, { email, password }).then(() => client.run(Me, {})).then(({ me }) => me.email));
window.open3 = () => show(Promise.all([1, 2, 3].map(async () => {
  const frame = document.createElement("iframe");
  frame.src = "/";
  document.body.append(frame);
  await new Promise((go) => { frame.onload = go; });
  return frame.contentWindow.calls();
})).then((all) => all.join()));
document.title = "ready";
</script>`

// app serves the page and the client, passes on to Octavo what they send to its origin, and counts the
// refreshes.
type app struct {
	proxy     http.Handler
	refreshes atomic.Int32
}

func serveApp(t *testing.T, client, upstream string) (*app, string) {
	t.Helper()
	target, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	a := &app{proxy: httputil.NewSingleHostReverseProxy(target)}
	mux := http.NewServeMux()
	mux.Handle("/client/", http.StripPrefix("/client/", http.FileServerFS(os.DirFS(filepath.Join(client, "dist")))))
	mux.Handle("POST /graphql", a)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/expired" {
			http.SetCookie(w, &http.Cookie{Name: "octavo_access", Value: "expired", Path: "/", HttpOnly: true})
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(tabsPage))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return a, s.URL
}

func (a *app) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if bytes.Contains(body, []byte(`"RefreshSession"`)) {
		a.refreshes.Add(1)
	}
	a.proxy.ServeHTTP(w, r)
}

func refreshesOnceInTabs(t *testing.T, client string) {
	t.Helper()
	s := startAuth(t)
	p := s.member(t, byBearer, "tabs")
	a, origin := serveApp(t, client, s.URL)
	b := openBrowser(t, origin)
	signIn := fmt.Sprintf("signIn(%q, %q), ''", p.email, password)

	b.open("/?api=" + url.QueryEscape(s.URL)) // another port than that of the page
	b.await("document.title", "ready")
	b.evaluate(signIn)
	b.await("document.title", p.email)

	b.open("/expired")
	b.await("document.title", "ready")
	b.evaluate("open3(), ''")
	b.await("document.title", strings.TrimSuffix(strings.Repeat(p.email+",", 15), ","))
	if n := a.refreshes.Load(); n != 1 {
		t.Errorf("three tabs refreshed %d times", n)
	}
}
