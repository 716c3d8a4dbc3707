package e2e_test

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// collector stores the spans that programs send.
type collector struct {
	url   string
	mu    sync.Mutex
	spans []*tracepb.Span
}

func collect(t *testing.T) *collector {
	c := &collector{}
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	c.url = s.URL
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var sent tracepb.TracesData
	if err != nil || proto.Unmarshal(body, &sent) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range sent.GetResourceSpans() {
		for _, s := range of.GetScopeSpans() {
			c.spans = append(c.spans, s.GetSpans()...)
		}
	}
}

// trace has the spans of one trace.
type trace []*tracepb.Span

func (c *collector) trace(id []byte) (found trace) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		if bytes.Equal(s.GetTraceId(), id) {
			found = append(found, s)
		}
	}
	return found
}

// await waits until a trace has a span of each name.
func (c *collector) await(t *testing.T, id []byte, names ...string) trace {
	t.Helper()
	var tr trace
	if !poll.Until(func() bool {
		tr = c.trace(id)
		return !slices.ContainsFunc(names, func(name string) bool { return tr.find(name) == nil })
	}) {
		t.Fatalf("not each of %q in %v", names, tr.names())
	}
	return tr
}

func (tr trace) find(name string) *tracepb.Span {
	if i := slices.IndexFunc(tr, func(s *tracepb.Span) bool { return s.GetName() == name }); i >= 0 {
		return tr[i]
	}
	return nil
}

func (tr trace) names() (all []string) {
	for _, s := range tr {
		all = append(all, s.GetName())
	}
	return all
}

const traceID = "0af7651916cd43dd8448eb211c80319c"

// signUpTraced signs up with the traceparent of a client's trace.
func signUpTraced(t *testing.T, url, email string) {
	t.Helper()
	body := `{"query":"mutation { signUp(email: \"` + email + `\", password: \"correct horse battery staple\") }"}`
	_, answer := exchange(t, "POST", url+"/graphql?secret=inthequery", body, "Content-Type", "application/json", "Traceparent", "00-"+traceID+"-b7ad6b7169203331-01")
	if !strings.Contains(answer, `"signUp":true`) {
		t.Fatalf("%s", answer)
	}
}

func TestOneTraceLeadsFromTheRequestToTheMailServer(t *testing.T) {
	t.Parallel()
	redis, address := servers.Redis(t), servers.Address(t)
	(&smtpServer{}).open(t, address)
	for name, env := range map[string][]string{
		"SQLite and Redis":  {"REDIS_URL=" + redis.URL, "QUEUE_URL=" + redis.URL},
		"Postgres and NATS": {"QUEUE_URL=" + servers.NATS(t).URL, "Postgres"},
	} {
		t.Run(name, func(t *testing.T) {
			if i := slices.Index(env, "Postgres"); i >= 0 {
				env = append(env[:i], onPostgres(t)...)
			}
			c := collect(t)
			s := e2e.StartWith(t, append(env, "SMTP_URL=smtp://"+address, "MAIL_FROM=octavo@campus.edu",
				"OTEL_EXPORTER_OTLP_ENDPOINT="+c.url, "OTEL_BSP_SCHEDULE_DELAY=50"), "auth", "mailer")
			signUpTraced(t, s.URL, "ann@campus.edu")
			id, _ := hex.DecodeString(traceID)
			way := []string{"POST /graphql", "publish octavo.mail", "process octavo.mail", "send mail"}
			tr := c.await(t, id, way...)
			assertChain(t, tr, way...)
			assertChain(t, tr, "POST /graphql", "INSERT")
			if tr.find("SAVEPOINT") == nil { // otherwise the commit is in the trace of the caller that opened the batch
				assertChain(t, tr, "POST /graphql", "COMMIT")
			}
			if slices.Contains(env, "REDIS_URL="+redis.URL) {
				assertChain(t, tr, "POST /graphql", "evalsha")
			}
			for _, s := range tr {
				if text := s.String(); strings.Contains(text, "ann@") || strings.Contains(text, "inthequery") || strings.Contains(text, "horse") {
					t.Errorf("a span contains personal data: %s", text)
				}
			}
			if !strings.Contains(s.Log(), "trace_id="+traceID) {
				t.Error("the log does not name the trace")
			}
		})
	}
}

// assertChain checks that there is a span of each name, each a child of the one before.
func assertChain(t *testing.T, tr trace, names ...string) {
	t.Helper()
	at := tr.find(names[0])
	for i, name := range names[1:] {
		next := slices.IndexFunc(tr, func(s *tracepb.Span) bool {
			return s.GetName() == name && bytes.Equal(s.GetParentSpanId(), at.GetSpanId())
		})
		if at == nil || next < 0 {
			t.Fatalf("%s does not lead to %s: %v", names[i], name, tr.names())
		}
		at = tr[next]
	}
}

func TestRequestsAreServedWithoutACollector(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server would not notice that the client disconnects
		<-r.Context().Done()
	}))
	defer silent.Close()
	for name, endpoint := range map[string]string{"unreachable": "http://127.0.0.1:1", "silent": silent.URL} {
		s := e2e.StartWith(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint, "OTEL_BSP_SCHEDULE_DELAY=10", "OTEL_EXPORTER_OTLP_TIMEOUT=300"}, "auth")
		signUpTraced(t, s.URL, "ann@campus.edu")
		poll.Until(func() bool { return strings.Contains(s.Log(), "traces are lost") })
		for range 50 {
			e2e.Client{URL: s.URL}.Must(t, http.StatusOK, "GET", "/.well-known/jwks.json", nil)
		}
		if code := s.Stop(); code != 0 {
			t.Errorf("%s: it ended with %d, want 0", name, code)
		}
		if n := strings.Count(s.Log(), "traces are lost"); n != 1 {
			t.Errorf("%s: the loss is logged %d times, want 1", name, n)
		}
	}
}

func TestProfilesAreServedAtASeparateAddress(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	address := servers.Address(t)
	s := e2e.StartWith(t, []string{"PPROF_ADDR=" + address}, "auth")
	for url, want := range map[string]int{"http://" + address + "/debug/pprof/heap": http.StatusOK, s.URL + "/debug/pprof/heap": http.StatusNotFound} {
		if resp, _ := exchange(t, "GET", url, ""); resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", url, resp.StatusCode, want)
		}
	}
}
