//go:build !windows

package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/child"
	"github.com/octavo-books/octavo/test/gobuild"
	"github.com/octavo-books/octavo/test/must"
)

// server is the built program with the auth service alone, pinned to one core.
type server struct {
	b               testing.TB
	program, folder string
	env             []string
	process         *exec.Cmd
	ended           <-chan struct{}
	url             string
}

// serverCore is the processor reserved for the program.
const serverCore = "1"

// programFolder is where the program is built on first use.
var programFolder string

func TestMain(m *testing.M) {
	var err error
	if programFolder, err = os.MkdirTemp("", "octavo-bench-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(programFolder)
	os.Exit(code)
}

var build = sync.OnceValue(func() error {
	return gobuild.Program(context.Background(), "", filepath.Join(programFolder, "octavo"), "github.com/octavo-books/octavo/cmd/octavo")
})

func serve(b testing.TB, env ...string) *server {
	b.Helper()
	s := &server{b: b, folder: b.TempDir(), program: filepath.Join(programFolder, "octavo")}
	must.Do(b, build())
	const many = "1000000/1s"
	s.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "DATA_DIR=" + filepath.Join(s.folder, "data"), "PORT=0", "BCRYPT_COST=10", "LOG_LEVEL=warn", "GOMAXPROCS=1",
		"JWT_ISSUER=https://octavo.example", // so that tokens stay valid when the program starts on another port
		"MAX_SESSIONS_PER_USER=1000", "LIMIT_SIGN_IN_FAILURES=" + many, "LIMIT_SIGN_INS=" + many, "LIMIT_SIGN_UPS=" + many,
		"LIMIT_MAIL_REQUESTS=" + many, "LIMIT_CODES=" + many, "LIMIT_MAILS=" + many, "LIMIT_SIGN_UP_MAILS=" + many,
	}, env...)
	s.createMember()
	s.start()
	b.Cleanup(s.stop)
	return s
}

// createMember creates the database and imports member@example.org with the password.
func (s *server) createMember() {
	s.b.Helper()
	file := filepath.Join(s.folder, "people")
	must.Do(s.b, os.WriteFile(file, []byte("member@example.org,"+hash(s.b)+"\n"), 0o600))
	for _, args := range [][]string{{"migrate", "up"}, {"users", "import", file}} {
		cmd := exec.Command(s.program, args...)
		cmd.Env = s.env
		if out, err := cmd.CombinedOutput(); err != nil {
			s.b.Fatalf("%v: %v: %s", args, err, out)
		}
	}
}

// few returns a number of repetitions, or a fortieth of it with -short, which only
// checks that the benchmark works.
func few(n int) int {
	if testing.Short() {
		return n / 40
	}
	return n
}

var listening = regexp.MustCompile(`Listening on (http://[0-9.:]+)`)

func (s *server) start() {
	s.b.Helper()
	log := filepath.Join(s.folder, "log")
	out := must.Get(os.Create(log))(s.b)
	defer out.Close()
	s.process = exec.Command("taskset", "-c", serverCore, s.program, "serve", "auth")
	s.process.Env, s.process.Stdout, s.process.Stderr = s.env, out, out
	s.ended = must.Get(child.Start(s.process))(s.b)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		output := must.Get(os.ReadFile(log))(s.b)
		if found := listening.FindSubmatch(output); found != nil {
			s.url = string(found[1])
			if r, err := http.Get(s.url + "/readyz"); err == nil {
				_ = r.Body.Close()
				if r.StatusCode == http.StatusOK {
					return
				}
			}
		}
	}
	output, _ := os.ReadFile(log)
	s.b.Fatalf("not ready: %s", output)
}

func (s *server) stop() {
	_ = s.process.Process.Kill()
	<-s.ended
}

// cpu returns the processor time of all threads of the program from the scheduler's
// counter in nanoseconds; the ticks of /proc/PID/stat are 10 ms.
func (s *server) cpu() (used time.Duration) {
	s.b.Helper()
	threads := must.Get(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.process.Process.Pid)))(s.b)
	for _, t := range threads {
		text := must.Get(os.ReadFile(t))(s.b)
		var ns int64
		must.Get(fmt.Sscan(string(text), &ns))(s.b)
		used += time.Duration(ns)
	}
	return used
}

// answer is the response to an operation.
type answer struct {
	Data map[string]struct {
		AccessToken, RefreshToken string
		Session                   struct{ ID string }
	}
	Errors []struct {
		Extensions struct{ Code string }
	}
}

// ask sends an operation. An error in the response is not a failure.
func (s *server) ask(token, query string, variables map[string]any) (a answer) {
	s.b.Helper()
	body := must.Get(json.Marshal(map[string]any{"query": query, "variables": variables}))(s.b)
	req := must.Get(http.NewRequest(http.MethodPost, s.url+"/graphql", bytes.NewReader(body)))(s.b)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", userAgent)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	r := must.Get(http.DefaultClient.Do(req))(s.b)
	defer func() { _ = r.Body.Close() }()
	text := must.Get(io.ReadAll(r.Body))(s.b)
	if r.StatusCode != http.StatusOK {
		s.b.Fatalf("answered %d %s, want %d", r.StatusCode, text, http.StatusOK)
	}
	_ = json.Unmarshal(text, &a) // a field that is only true does not fit the type
	return a
}

const (
	signInQuery  = `mutation($e: String!, $p: String!) { signIn(email: $e, password: $p) { accessToken refreshToken session { id } } }`
	refreshQuery = `mutation($t: String) { refreshSession(refreshToken: $t) { accessToken refreshToken session { id } } }`
	meQuery      = `{ me { id email role } }`
	revokeQuery  = `mutation($i: ID!) { revokeSession(id: $i) }`
)

func (s *server) signIn() answer {
	s.b.Helper()
	a := s.ask("", signInQuery, map[string]any{"e": "member@example.org", "p": password})
	if a.Data["signIn"].AccessToken == "" {
		s.b.Fatalf("not signed in: %+v", a)
	}
	return a
}

func (s *server) refresh(token string) answer {
	s.b.Helper()
	a := s.ask("", refreshQuery, map[string]any{"t": token})
	if a.Data["refreshSession"].RefreshToken == "" {
		s.b.Fatalf("not refreshed: %+v", a)
	}
	return a
}

func (s *server) me(token string) {
	s.b.Helper()
	if a := s.ask(token, meQuery, nil); len(a.Errors) > 0 {
		s.b.Fatalf("me: %+v", a)
	}
}

// measureCalls reports the processor time of the program for each of n calls.
func (s *server) measureCalls(b *testing.B, what string, n int, act func(i int)) {
	b.Helper()
	act(0) // prepares statements and opens connections
	before := s.cpu()
	for i := 1; i <= n; i++ {
		act(i)
	}
	b.ReportMetric(float64(s.cpu()-before)/float64(n)/1e6, what+"-cpu-ms")
}

// introspection registers a resource and a machine, and returns what asks as the resource about a token of the machine.
func (s *server) introspection() func(int) {
	s.b.Helper()
	printed := func(args ...string) []string {
		cmd := exec.Command(s.program, args...)
		cmd.Env = s.env
		out, err := cmd.CombinedOutput()
		found := identifiers.FindAllStringSubmatch(string(out), -1)
		if err != nil || len(found) != 2 {
			s.b.Fatalf("%v: %v: %s", args, err, out)
		}
		return []string{found[0][1], found[1][1]}
	}
	resource := printed("resources", "add", "Prices", "--identifier", "https://prices.example", "--scope", "read")
	robot := printed("clients", "add", "Robot", "--machine", "--resource", resource[0], "--scope", "read")
	text := s.post("/oauth2/token", robot, url.Values{"grant_type": {"client_credentials"}})
	var issued struct {
		Token string `json:"access_token"`
	}
	must.Do(s.b, json.Unmarshal(text, &issued))
	form := url.Values{"token": {issued.Token}}
	return func(int) {
		if text := s.post("/oauth2/introspect", resource, form); !bytes.Contains(text, []byte(`"active":true`)) {
			s.b.Fatalf("introspection answers %s", text)
		}
	}
}

// identifiers finds the id and the secret that a command prints.
var identifiers = regexp.MustCompile(`(?m)^\w+_(?:id|secret): (\S+)$`)

// post sends a form as an application with its id and secret.
func (s *server) post(path string, as []string, form url.Values) []byte {
	s.b.Helper()
	req := must.Get(http.NewRequest(http.MethodPost, s.url+path, strings.NewReader(form.Encode())))(s.b)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth(as[0], as[1])
	r := must.Get(http.DefaultClient.Do(req))(s.b)
	defer func() { _ = r.Body.Close() }()
	return must.Get(io.ReadAll(r.Body))(s.b)
}

// BenchmarkServer reports the processor time of the built program for a request over
// HTTP, pinned to one core. OCTAVO_BENCH_REDIS may name a Redis for sessions and
// limits.
func BenchmarkServer(b *testing.B) {
	var env []string
	if redis := os.Getenv("OCTAVO_BENCH_REDIS"); redis != "" {
		env = append(env, "REDIS_URL="+redis)
	}
	s := serve(b, env...)
	for b.Loop() {
		s.measureCalls(b, "empty", few(2000), func(int) {
			r := must.Get(http.Get(s.url + "/healthz"))(b)
			_, _ = io.Copy(io.Discard, r.Body)
			_ = r.Body.Close()
		})
		sessions := few(150)
		grants := make([]answer, sessions+1)
		s.measureCalls(b, "sign-in", sessions, func(i int) { grants[i] = s.signIn() })
		own := s.signIn().Data["signIn"]
		s.measureCalls(b, "me-warm", few(2000), func(int) { s.me(own.AccessToken) })
		s.measureCalls(b, "introspect", few(2000), s.introspection())
		s.measureCalls(b, "revoke", sessions, func(i int) {
			s.ask(own.AccessToken, revokeQuery, map[string]any{"i": grants[i].Data["signIn"].Session.ID})
		})
		refreshes := few(400)
		refreshed := make([]string, refreshes+1)
		next := own.RefreshToken
		s.measureCalls(b, "refresh", refreshes, func(i int) {
			g := s.refresh(next).Data["refreshSession"]
			next, refreshed[i] = g.RefreshToken, g.AccessToken
		})
		s.me(refreshed[refreshes])
		s.stop()
		s.start() // empties the cache of verified tokens
		s.measureCalls(b, "me-cold", refreshes, func(i int) { s.me(refreshed[i]) })
	}
}

// people returns the addresses whose response times must not differ.
func (s *server) people() map[string]string {
	s.b.Helper()
	const signUp = `mutation($e: String!, $p: String!) { signUp(email: $e, password: $p) }`
	for who, passwords := range map[string][]string{"unverified": {password}, "passwordless": {password, password + " too"}} {
		for _, p := range passwords {
			s.ask("", signUp, map[string]any{"e": who + "@example.org", "p": p})
		}
	}
	s.ask("", `mutation($e: String!, $c: String!) { verifyEmail(email: $e, code: $c) }`, map[string]any{"e": "passwordless@example.org", "c": s.code("passwordless@example.org")})
	return map[string]string{
		"member": "member@example.org", "stranger": "stranger@example.org", "unverified": "unverified@example.org", "passwordless": "passwordless@example.org",
	}
}

// code waits for a verification mail and returns its code.
func (s *server) code(to string) string {
	s.b.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); <-time.After(10 * time.Millisecond) {
		r := must.Get(http.Get(s.url + "/dev/mail.json?to=" + url.QueryEscape(to)))(s.b)
		var mails []struct{ Code *string }
		err := json.NewDecoder(r.Body).Decode(&mails)
		_ = r.Body.Close()
		must.Do(s.b, err)
		if len(mails) > 0 && mails[0].Code != nil {
			return *mails[0].Code
		}
	}
	s.b.Fatalf("no code came to %s", to)
	return ""
}

// BenchmarkEnumerationOverHTTP reports the median times of anonymous requests for each
// kind of address, idle and while others sign in, and the difference between the
// greatest and the smallest. The kinds are in random order.
func BenchmarkEnumerationOverHTTP(b *testing.B) {
	for name, query := range map[string]string{
		"sign-in": `mutation($e: String!) { signIn(email: $e, password: "wrong wrong wrong") { accessToken } }`,
		"reset":   `mutation($e: String!) { requestPasswordReset(email: $e) }`,
		"resend":  `mutation($e: String!) { resendVerification(email: $e) }`,
		"verify":  `mutation($e: String!) { verifyEmail(email: $e, code: "00000000") }`,
		"redeem":  `mutation($e: String!) { resetPassword(email: $e, code: "00000000", newPassword: "a brand new password") }`,
		"sign-up": `mutation($e: String!) { signUp(email: $e, password: "a brand new password") }`,
	} {
		for _, load := range []string{"idle", "busy"} {
			b.Run(name+"/"+load, func(b *testing.B) {
				s := serve(b)
				people := s.people()
				if load == "busy" {
					b.Cleanup(s.keepBusy())
				}
				for b.Loop() {
					s.compareTimes(b, people, query)
				}
			})
		}
	}
}

// samples is the number of measurements for each kind of address.
const samples = 200

func (s *server) compareTimes(b *testing.B, people map[string]string, query string) {
	b.Helper()
	kinds := slices.Sorted(maps.Keys(people))
	order := slices.Repeat(kinds, few(samples))
	rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	times := map[string][]time.Duration{}
	for _, kind := range order {
		begin := time.Now()
		s.ask("", query, map[string]any{"e": people[kind]})
		times[kind] = append(times[kind], time.Since(begin))
	}
	report(b, kinds, times)
}

// keepBusy signs in continuously until stop is called.
func (s *server) keepBusy() (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			default:
				body := strings.NewReader(`{"query":"mutation{signIn(email:\"busy@example.org\",password:\"wrong wrong\"){accessToken}}"}`)
				if r, err := http.Post(s.url+"/graphql", "application/json", body); err == nil {
					_, _ = io.Copy(io.Discard, r.Body)
					_ = r.Body.Close()
				}
			}
		}
	}()
	return func() { close(quit); <-done }
}
