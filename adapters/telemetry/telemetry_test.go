package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/test/must"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector records the spans that it receives.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	spans  []*tracepb.Span
	header http.Header
	about  map[string]string
}

func collect(t *testing.T) *collector {
	c := &collector{about: map[string]string{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var sent tracepb.TracesData
	if err = errors.Join(err, proto.Unmarshal(body, &sent)); err != nil || r.URL.Path != "/v1/traces" {
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.header = r.Header
	for _, of := range sent.GetResourceSpans() {
		for _, a := range of.GetResource().GetAttributes() {
			c.about[a.GetKey()] = a.GetValue().GetStringValue()
		}
		for _, s := range of.GetScopeSpans() {
			c.spans = append(c.spans, s.GetSpans()...)
		}
	}
}

func (c *collector) find(t *testing.T, name string) *tracepb.Span {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.spans, func(s *tracepb.Span) bool { return s.GetName() == name })
	if i < 0 {
		t.Fatalf("no span %q among %v", name, c.spans)
	}
	return c.spans[i]
}

// env is a function like os.Getenv.
func env(pairs ...string) func(string) string {
	return func(name string) string {
		for _, p := range pairs {
			if value, ok := strings.CutPrefix(p, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

func tracing(t *testing.T, log *slog.Logger, pairs ...string) *telemetry.Tracing {
	t.Helper()
	c := must.Get(telemetry.ReadConfig(env(pairs...)))(t)
	tr, err := telemetry.New(t.Context(), c, "1.2.3", io.Discard, log)
	if err != nil || tr == nil {
		t.Fatalf("%v, %v", tr, err)
	}
	return tr
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestTracesAreOffUnlessTheStandardVariablesAskForThem(t *testing.T) {
	for name, c := range map[string]struct {
		env []string
		on  bool
	}{
		"nothing set":                       {nil, false},
		"a name alone":                      {[]string{"OTEL_SERVICE_NAME=x"}, false},
		"an endpoint":                       {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318"}, true},
		"an endpoint for traces":            {[]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://c/x"}, true},
		"an exporter":                       {[]string{"OTEL_TRACES_EXPORTER=otlp"}, true},
		"the console":                       {[]string{"OTEL_TRACES_EXPORTER=console"}, true},
		"an endpoint, but no traces":        {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_TRACES_EXPORTER=none"}, false},
		"an endpoint, but all switched off": {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_SDK_DISABLED=TRUE"}, false},
		"an invalid value while off":        {[]string{"OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, false},
	} {
		got, err := telemetry.ReadConfig(env(c.env...))
		if err != nil || got.On != c.on {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestInvalidVariablesAreReportedByName(t *testing.T) {
	on := "OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318"
	for _, bad := range []string{
		"OTEL_TRACES_EXPORTER=zipkin", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json",
		"OTEL_EXPORTER_OTLP_TIMEOUT=10s", "OTEL_EXPORTER_OTLP_HEADERS=hushhush", "OTEL_PROPAGATORS=b3", "OTEL_TRACES_SAMPLER=jaeger_remote",
	} {
		_, err := telemetry.ReadConfig(env(on, bad))
		name, value, _ := strings.Cut(bad, "=")
		var r telemetry.SettingError
		if !errors.As(err, &r) || r.Name != name || value == "hushhush" && strings.Contains(r.Error(), value) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	for _, bad := range [][]string{{"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318"}, {on, "OTEL_TRACES_SAMPLER=traceidratio", "OTEL_TRACES_SAMPLER_ARG=2"}} {
		if _, err := telemetry.ReadConfig(env(bad...)); err == nil {
			t.Errorf("%v passed", bad)
		}
	}
}

func TestOnlyTheEndpointForAllSignalsIsExtendedByAPath(t *testing.T) {
	for _, c := range [][2]string{
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318/", "http://c:4318/v1/traces"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://c:4318/spans", "http://c:4318/spans"},
		{"OTEL_TRACES_EXPORTER=otlp", "http://localhost:4318/v1/traces"},
	} {
		if got, err := telemetry.ReadConfig(env(c[0])); err != nil || got.Endpoint != c[1] {
			t.Errorf("%s: %q, %v; want %q", c[0], got.Endpoint, err, c[1])
		}
	}
}

func TestARequestBecomesASpanWithItsRouteAndWithoutPersonalData(t *testing.T) {
	c := collect(t)
	var log bytes.Buffer
	lines := slog.New(telemetry.LogHandler{Handler: slog.NewTextHandler(&log, nil)})
	tr := tracing(t, quiet(), "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_EXPORTER_OTLP_HEADERS=api-key=a%20b")
	h := tr.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		lines.InfoContext(r.Context(), "request")
		tr.RecordOperation(r.Context(), "signIn", "OK")
		tr.RecordResponse(r.Context(), r.Method, "/books/:id", http.StatusInternalServerError)
	}), "/healthz")
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, path := range []string{"/books/7?email=ann@mit.edu", "/healthz"} {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Traceparent", parent)
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	must.Do(t, tr.Close(t.Context()))
	s := c.find(t, "GET /books/:id")
	if text := s.String(); strings.Contains(text, "ann") || strings.Contains(text, "192.0.2.1") || !strings.Contains(text, "signIn") {
		t.Errorf("the span is %s", text)
	}
	if len(c.spans) != 1 || s.GetStatus().GetCode() != tracepb.Status_STATUS_CODE_ERROR || s.GetKind() != tracepb.Span_SPAN_KIND_SERVER {
		t.Errorf("%d spans, %v", len(c.spans), s)
	}
	if !bytes.HasPrefix(s.GetTraceId(), []byte{0x0a, 0xf7}) || !bytes.HasPrefix(s.GetParentSpanId(), []byte{0xb7, 0xad}) {
		t.Error("the client's trace was not continued")
	}
	if c.header.Get("api-key") != "a b" || c.about["service.name"] != "octavo" || c.about["service.version"] != "1.2.3" {
		t.Errorf("sent with %v about %v", c.header, c.about)
	}
	if !strings.Contains(log.String(), "trace_id=0af7651916cd43dd8448eb211c80319c") {
		t.Errorf("logged %s", log.String())
	}
}

// post is a publisher and a sender that records the traces of its messages.
type post struct {
	traces []string
	err    error
}

func (p *post) PublishMessages(_ context.Context, messages []message.Message) []error {
	errs := make([]error, len(messages))
	for i, m := range messages {
		p.traces, errs[i] = append(p.traces, m.Trace), p.err
	}
	return errs
}

func (p *post) SendMails(_ context.Context, mails []mailer.Mail) []error {
	return p.PublishMessages(context.Background(), []message.Message{mails[0].Message})
}

func TestAMessageContinuesItsTrace(t *testing.T) {
	c := collect(t)
	tr := tracing(t, quiet(), "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL)
	const cause = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	queue, smtp := &post{}, &post{err: errors.New("550 ann@mit.edu is unknown")}
	given := []message.Message{{ID: 7, Kind: message.Verification, Trace: cause, To: "ann@mit.edu"}, {ID: 8, Kind: message.BookSold}}
	tr.Publisher(queue).PublishMessages(t.Context(), given)
	if errs := tr.Sender(smtp).SendMails(t.Context(), []mailer.Mail{{Message: message.Message{ID: 7, Trace: queue.traces[0]}}}); errs[0] == nil {
		t.Error("the failure was swallowed")
	}
	_ = tr.Close(t.Context())
	if given[0].Trace != cause {
		t.Error("the caller's messages were changed")
	}
	published, sent := c.find(t, "publish octavo.mail"), c.find(t, "send mail")
	if !bytes.HasPrefix(published.GetTraceId(), []byte{0x0a, 0xf7}) || !bytes.Equal(sent.GetParentSpanId(), published.GetSpanId()) {
		t.Errorf("%v, then %v", published, sent)
	}
	if sent.GetStatus().GetCode() != tracepb.Status_STATUS_CODE_ERROR || strings.Contains(sent.String(), "ann@") {
		t.Errorf("the failure is recorded as %v", sent)
	}
	if len(c.spans) != 3 {
		t.Errorf("%d spans, want 3", len(c.spans))
	}
}

func TestATargetReceivesTheTraceUnlessTheRequestNamesOne(t *testing.T) {
	tr := tracing(t, quiet(), "OTEL_EXPORTER_OTLP_ENDPOINT="+collect(t).URL)
	var got []string
	target := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = append(got, r.Header.Get("Traceparent")) }))
	defer target.Close()
	client := http.Client{Transport: tr.Transport(&http.Transport{})}
	defer client.CloseIdleConnections()
	for _, parent := range []string{"", "of the sender"} {
		r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, target.URL, nil))(t)
		if parent != "" {
			r.Header.Set("Traceparent", parent)
		}
		resp := must.Get(client.Do(r))(t)
		_ = resp.Body.Close()
	}
	if len(got) != 2 || !strings.HasPrefix(got[0], "00-") || got[1] != "of the sender" {
		t.Errorf("sent %q", got)
	}
}

func TestAnUnreachableCollectorIsLoggedOnceAndBlocksNothing(t *testing.T) {
	c := collect(t)
	c.Close()
	var log bytes.Buffer
	tr := tracing(t, slog.New(slog.NewTextHandler(&log, nil)), "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL)
	h := tr.Middleware(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	began := time.Now()
	for range 10_000 {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
	if err := tr.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
	if n := strings.Count(log.String(), "traces are lost"); n != 1 {
		t.Errorf("logged %d times, want 1: %s", n, log.String())
	}
}

func TestWithoutTracingNothingIsWrapped(t *testing.T) {
	var off *telemetry.Tracing
	h := http.NewServeMux()
	if off.Middleware(h) != http.Handler(h) || off.WrapConnector("sqlite", nil) != nil || off.Transport(nil) != nil {
		t.Error("something was wrapped")
	}
	p := &post{}
	if off.Publisher(p) != mailer.Publisher(p) || off.Processor(p) != mailer.Publisher(p) || off.Sender(p) != mailer.Sender(p) {
		t.Error("something was wrapped")
	}
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		off.RecordResponse(ctx, "GET", "/", 200)
		off.RecordOperation(ctx, "me", "OK")
		_, done := off.StartSpan(ctx, "redis", "get")
		done(nil)
		_ = off.Traceparent(ctx)
	}); n != 0 || off.Close(ctx) != nil {
		t.Errorf("%v allocations", n)
	}
}

func TestTheConsoleShowsOneLinePerSpan(t *testing.T) {
	var out bytes.Buffer
	c := must.Get(telemetry.ReadConfig(env("OTEL_TRACES_EXPORTER=console")))(t)
	tr := must.Get(telemetry.New(t.Context(), c, "dev", &out, quiet()))(t)
	tr.Middleware(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	_ = tr.Close(t.Context())
	if !strings.Contains(out.String(), `"name":"GET"`) || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("printed %s", out.String())
	}
}
