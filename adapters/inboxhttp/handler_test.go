package inboxhttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

// fakeAdmin answers as a test configures it.
type fakeAdmin struct {
	query inbox.Query
	page  []inbox.Delivery
	next  int64
	err   error
	asked string
	rules []inbox.RuleStatus

	follow inbox.Follow
	feed   func(context.Context, inbox.Follower) error
}

func (d *fakeAdmin) ListRules(context.Context) ([]inbox.RuleStatus, error) { return d.rules, d.err }

func (d *fakeAdmin) PauseRule(_ context.Context, key string) error {
	d.asked = "pause " + key
	return d.err
}

func (d *fakeAdmin) ResumeRule(_ context.Context, key string) error {
	d.asked = "resume " + key
	return d.err
}

func (d *fakeAdmin) ListDeliveries(_ context.Context, q inbox.Query) ([]inbox.Delivery, int64, error) {
	d.query = q
	return d.page, d.next, d.err
}

func (d *fakeAdmin) FindDelivery(_ context.Context, source, id string) (inbox.Delivery, error) {
	d.asked = source + id
	if d.err != nil {
		return inbox.Delivery{}, d.err
	}
	return d.page[0], nil
}

func (d *fakeAdmin) Redeliver(_ context.Context, source, id string) (int, error) {
	d.asked = source + id
	return 2, d.err
}

func (d *fakeAdmin) FollowDeliveries(ctx context.Context, f inbox.Follow, to inbox.Follower) error {
	d.follow = f
	if d.err != nil {
		return d.err
	}
	return d.feed(ctx, to)
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func stored() inbox.Delivery {
	return inbox.Delivery{
		Seq: 9, Source: "default", ID: "72d3", Event: "issues", Action: "opened", ReceivedAt: noon, Payload: []byte(`{"action":"opened"}`),
		Jobs: []inbox.Job{
			{Rule: "issues=http://127.0.0.1/", State: inbox.Delivered, Attempts: 1, Status: 200, ChangedAt: noon},
			{Rule: "*=http://127.0.0.1/", State: inbox.Open, Attempts: 2, Status: 503, Error: "answered 503", DueAt: noon.Add(time.Minute), ChangedAt: noon, Redelivery: true},
		},
	}
}

// request sends a request such as "GET /path" with the token, or with another
// Authorization, and returns the status and the body.
func request(t *testing.T, d *fakeAdmin, line string, authorization ...string) (int, string) {
	t.Helper()
	h := must.Get(inboxhttp.Handler(d, "the token", time.Now, slog.New(slog.NewTextHandler(io.Discard, nil))))(t)
	method, target, _ := strings.Cut(line, " ")
	r := httptest.NewRequest(method, target, nil)
	r.Header.Set("Authorization", strings.Join(append(authorization, "Bearer the token")[:1], ""))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if kind := w.Header().Get("Content-Type"); kind != "application/json" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%s is answered as %s, %s", line, kind, w.Header().Get("Cache-Control"))
	}
	return w.Code, w.Body.String()
}

func wantRefusal(t *testing.T, d *fakeAdmin, line string, status int, text string, authorization ...string) {
	t.Helper()
	code, body := request(t, d, line, authorization...)
	var fields map[string]string
	if err := json.Unmarshal([]byte(body), &fields); err != nil || code != status || len(fields) != 1 || !strings.Contains(fields["error"], text) {
		t.Errorf("%s is answered %d %s, want %d with %q", line, code, body, status, text)
	}
}

func TestWithoutTheTokenEveryRequestIsUnauthorized(t *testing.T) {
	for _, authorization := range []string{"", "Bearer", "Bearer ", "Bearer the toke", "Bearer the tokens", "Basic the token", "the token"} {
		for _, line := range []string{"GET /api/host/deliveries", "GET /api/host/deliveries/x", "POST /api/host/deliveries/x/redeliver", "GET /elsewhere"} {
			wantRefusal(t, &fakeAdmin{}, line, 401, "token", authorization)
		}
	}
	must.Refuse(t, must.Err(inboxhttp.Handler(&fakeAdmin{}, "", time.Now, nil)), inboxhttp.ErrEmptyToken, "an empty token")
}

func TestAListShowsDeliveriesWithTheirTargets(t *testing.T) {
	d := &fakeAdmin{page: []inbox.Delivery{stored(), {Source: "ci", ID: "x~2", Original: "x", Conflict: true, Event: "push", ReceivedAt: noon}}, next: 9}
	code, body := request(t, d, "GET /api/host/deliveries?source=ci&state=pending&event=issues&cursor=77&limit=2&from=2026-11-20T12:00:00Z&to=")
	if code != 200 || d.query != (inbox.Query{Source: "ci", State: "pending", Event: webhook.EventName("issues"), Before: 77, From: noon, Limit: 2}) {
		t.Errorf("%d, asked %+v", code, d.query)
	}
	want := `{"deliveries":[{"id":"72d3","name":"72d3","conflict":false,"source":"default","event":"issues","action":"opened","state":"pending","receivedAt":"2026-11-20T12:00:00Z","targets":[` +
		`{"rule":"issues=http://127.0.0.1/","state":"delivered","attempts":1,"status":200,"error":null,"dueAt":null,"changedAt":"2026-11-20T12:00:00Z","redelivery":false},` +
		`{"rule":"*=http://127.0.0.1/","state":"pending","attempts":2,"status":503,"error":"answered 503","dueAt":"2026-11-20T12:01:00Z","changedAt":"2026-11-20T12:00:00Z","redelivery":true}]},` +
		`{"id":"x","name":"x~2","conflict":true,"source":"ci","event":"push","action":null,"state":"unmatched","receivedAt":"2026-11-20T12:00:00Z","targets":[]}],"cursor":"9"}` + "\n"
	if body != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}
}

func TestAnEmptyListHasNoCursor(t *testing.T) {
	if code, body := request(t, &fakeAdmin{}, "GET /api/host/deliveries"); code != 200 || body != "{\"deliveries\":[],\"cursor\":null}\n" {
		t.Errorf("%d %s", code, body)
	}
}

func TestADeliveryIsShownWithItsPayload(t *testing.T) {
	d := &fakeAdmin{page: []inbox.Delivery{stored()}}
	code, body := request(t, d, "GET /api/host/deliveries/a%2Fb%20c")
	if code != 200 || d.asked != "a/b c" || !strings.HasSuffix(body, `,"payload":{"action":"opened"}}`+"\n") {
		t.Errorf("%d %s, asked for %q", code, body, d.asked)
	}
	if code, _ := request(t, d, "GET /api/host/deliveries/x?source=ci."); code != 200 || d.asked != "ci.x" {
		t.Errorf("%d, asked for %q of a source", code, d.asked)
	}
	d.page[0].Payload = nil
	if _, body := request(t, d, "GET /api/host/deliveries/x"); !strings.HasSuffix(body, `,"payload":null}`+"\n") {
		t.Errorf("without its payload: %s", body)
	}
}

func TestADeliveryIsShownWithItsAttempts(t *testing.T) {
	d := stored()
	d.Attempts = []inbox.Attempt{
		{At: noon, Rule: "a", Target: "http://127.0.0.1/x", Error: "connection refused", Duration: 1234567 * time.Nanosecond},
		{At: noon, Rule: "a", Target: "http://127.0.0.1/x", Status: 503, Error: "answered 503", Duration: time.Second, Answer: "later\n"},
		{At: noon, Rule: "b", Target: "http://127.0.0.1/y", Status: 200},
	}
	_, body := request(t, &fakeAdmin{page: []inbox.Delivery{d}}, "GET /api/host/deliveries/x")
	want := `"attempts":[{"at":"2026-11-20T12:00:00Z","rule":"a","target":"http://127.0.0.1/x","status":null,"error":"connection refused","durationMs":1.235,"answer":null},` +
		`{"at":"2026-11-20T12:00:00Z","rule":"a","target":"http://127.0.0.1/x","status":503,"error":"answered 503","durationMs":1000,"answer":"later\n"},` +
		`{"at":"2026-11-20T12:00:00Z","rule":"b","target":"http://127.0.0.1/y","status":200,"error":null,"durationMs":0,"answer":""}],"payload"`
	if !strings.Contains(body, want) {
		t.Errorf("got  %s\nwant %s", body, want)
	}
	if _, body := request(t, &fakeAdmin{page: []inbox.Delivery{stored()}}, "GET /api/host/deliveries/x"); !strings.Contains(body, `"attempts":[],`) {
		t.Errorf("without attempts: %s", body)
	}
}

func TestRedeliveringIsAcceptedWithTheNumberOfTargets(t *testing.T) {
	d := &fakeAdmin{}
	if code, body := request(t, d, "POST /api/host/deliveries/72d3/redeliver"); code != 202 || body != `{"id":"72d3","targets":2}`+"\n" || d.asked != "72d3" {
		t.Errorf("%d %s", code, body)
	}
	if code, _ := request(t, d, "POST /api/host/deliveries/72d3/redeliver?source=ci."); code != 202 || d.asked != "ci.72d3" {
		t.Errorf("%d, redelivered %q of a source", code, d.asked)
	}
	wantRefusal(t, d, "POST /api/host/deliveries/72d3/redeliver?source=a&source=b", 400, "source")
}

func TestEachErrorHasItsStatus(t *testing.T) {
	wantRefusal(t, &fakeAdmin{err: inbox.ErrNotFound}, "GET /api/host/deliveries/x", 404, "delivery does not exist")
	wantRefusal(t, &fakeAdmin{err: fmt.Errorf("find: %w", inbox.ErrNotFound)}, "POST /api/host/deliveries/x/redeliver", 404, "delivery does not exist")
	wantRefusal(t, &fakeAdmin{err: inbox.ErrPayloadGone}, "POST /api/host/deliveries/x/redeliver", 409, "payload")
	wantRefusal(t, &fakeAdmin{err: inbox.ErrNoTarget}, "POST /api/host/deliveries/x/redeliver", 409, "rule")
	wantRefusal(t, &fakeAdmin{err: inbox.ErrQuery.WithField("state", "is wrong")}, "GET /api/host/deliveries", 400, "state is wrong")
	wantRefusal(t, &fakeAdmin{err: errors.New("disk on fire")}, "GET /api/host/deliveries", 500, "Something went wrong")
	for _, query := range []string{"cursor=x", "cursor=-1", "limit=0", "limit=201", "limit=x", "limit=01", "limit=%2B1", "from=yesterday", "to=1", "sate=dead", "state=dead&state=pending"} {
		name, _, _ := strings.Cut(query, "=")
		wantRefusal(t, &fakeAdmin{}, "GET /api/host/deliveries?"+query, 400, name)
	}
	wantRefusal(t, &fakeAdmin{}, "GET /api/host/deliveries?state=%zz", 400, "list")
	for _, line := range []string{"DELETE /api/host/deliveries/x", "GET /api/host/deliveries/x/redeliver", "GET /", "PUT /api/host/deliveries"} {
		wantRefusal(t, &fakeAdmin{}, line, 404, "Unknown route: "+line)
	}
}

func TestAfterManyWrongTokensEvenTheRightOneWaits(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	h := must.Get(inboxhttp.Handler(&fakeAdmin{}, "the token", func() time.Time { return now }, slog.New(slog.DiscardHandler)))(t)
	ask := func(token string) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest(http.MethodGet, inboxhttp.RulesPath, nil), httptest.NewRecorder()
		r.Header.Set("Authorization", token)
		h.ServeHTTP(w, r)
		return w
	}
	for range 30 { // no try
		ask("")
	}
	for i := range 10 {
		if w := ask("Bearer wrong"); w.Code != http.StatusUnauthorized {
			t.Errorf("try %d is answered %d", i, w.Code)
		}
	}
	for _, token := range []string{"Bearer wrong", "Bearer the token"} {
		if w := ask(token); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "60" {
			t.Errorf("%s is answered %d, %v", token, w.Code, w.Header())
		}
	}
	if now = now.Add(time.Minute); ask("Bearer the token").Code != http.StatusOK {
		t.Error("the token is refused a minute later")
	}
}

func TestTheListOfRulesShowsStateBacklogAndLastAnswer(t *testing.T) {
	d := &fakeAdmin{rules: []inbox.RuleStatus{
		{Key: "tracker", Target: "http://tracker.internal/", Source: "ci", Match: "issues.*\npush", Where: "payload.draft == false", PausedBy: inbox.PausedByOperator, PausedAt: noon,
			CircuitOpen: true, FailingSince: noon, Last: inbox.AttemptResult{At: noon, Status: 503, Error: "answered 503"}, Attempts: 12, Failures: 10, Open: 3, Dead: 1, Oldest: noon},
		{Key: "*=http://127.0.0.1:9/", Target: "http://127.0.0.1:9/", Match: "*", Rate: "10/s"},
	}}
	want := `{"rules":[{"name":"tracker","target":"http://tracker.internal/","source":"ci","match":["issues.*","push"],"where":"payload.draft == false","rate":null,"state":"paused","pausedBy":"operator","pausedAt":"2026-11-20T12:00:00Z",` +
		`"circuit":"open","failingSince":"2026-11-20T12:00:00Z","backlog":{"pending":3,"dead":1,"oldestAt":"2026-11-20T12:00:00Z"},` +
		`"lastAnswer":{"at":"2026-11-20T12:00:00Z","status":503,"error":"answered 503"},"lastHour":{"attempts":12,"failures":10}},` +
		`{"name":"*=http://127.0.0.1:9/","target":"http://127.0.0.1:9/","source":null,"match":["*"],"where":null,"rate":"10/s","state":"active","pausedBy":null,"pausedAt":null,` +
		`"circuit":"closed","failingSince":null,"backlog":{"pending":0,"dead":0,"oldestAt":null},"lastAnswer":null,"lastHour":{"attempts":0,"failures":0}}],"cursor":null}` + "\n"
	if code, body := request(t, d, "GET /api/host/rules"); code != 200 || body != want {
		t.Errorf("got  %d %s\nwant %s", code, body, want)
	}
	wantRefusal(t, &fakeAdmin{err: errors.New("disk on fire")}, "GET /api/host/rules", 500, "Something went wrong")
	wantRefusal(t, d, "GET /api/host/rules", 401, "token", "Bearer x")
}

func TestAThousandRulesAreListedPageByPage(t *testing.T) {
	d := &fakeAdmin{}
	for n := range 1000 {
		d.rules = append(d.rules, inbox.RuleStatus{Key: fmt.Sprint("r", n), Match: "*"})
	}
	var got []string
	line, pages := "GET /api/host/rules?limit=90", 0
	for query := ""; pages < 20; pages++ {
		code, body := request(t, d, line+query)
		var page inboxhttp.RulesPage
		if err := json.Unmarshal([]byte(body), &page); err != nil || code != 200 || len(page.Rules.Rules) > 90 {
			t.Fatalf("%s%s: %d %.100s, %v", line, query, code, body, err)
		}
		for _, r := range page.Rules.Rules {
			got = append(got, r.Name)
		}
		if page.Cursor == nil {
			break
		}
		query = "&cursor=" + *page.Cursor
	}
	if len(got) != 1000 || got[0] != "r0" || got[999] != "r999" || pages != 11 {
		t.Errorf("%d rules on %d pages", len(got), pages+1)
	}
	if code, body := request(t, d, "GET /api/host/rules"); code != 200 || strings.Count(body, `"name"`) != inbox.MaxPage {
		t.Errorf("without a limit: %d, %d rules", code, strings.Count(body, `"name"`))
	}
	wantRefusal(t, d, "GET /api/host/rules?limit=0", 400, "limit must be")
	wantRefusal(t, d, "GET /api/host/rules?cursor=x", 400, "cursor must be")
	wantRefusal(t, d, "GET /api/host/rules?state=dead", 400, "only parameters")
	if code, body := request(t, d, "GET /api/host/rules?cursor=4711"); code != 200 || body != `{"rules":[],"cursor":null}`+"\n" {
		t.Errorf("behind the end: %d %s", code, body)
	}
}

func TestARuleWithoutANameIsPausedByItsEscapedKey(t *testing.T) {
	d := &fakeAdmin{}
	if code, body := request(t, d, "POST /api/host/rules/push%3Dhttp%3A%2F%2F127.0.0.1%3A9%2Fa%3Fb/pause"); code != 200 || body != `{"name":"push=http://127.0.0.1:9/a?b","paused":true}`+"\n" || d.asked != "pause push=http://127.0.0.1:9/a?b" {
		t.Errorf("%d %s, asked %q", code, body, d.asked)
	}
	if code, body := request(t, d, "POST /api/host/rules/tracker/resume"); code != 200 || body != `{"name":"tracker","paused":false}`+"\n" || d.asked != "resume tracker" {
		t.Errorf("%d %s, asked %q", code, body, d.asked)
	}
	wantRefusal(t, &fakeAdmin{err: inbox.ErrNoRule}, "POST /api/host/rules/x/pause", 404, "rule does not exist")
	wantRefusal(t, &fakeAdmin{err: inbox.ErrPausedInFile}, "POST /api/host/rules/x/resume", 409, "paused: true")
	for _, line := range []string{"GET /api/host/rules/x/pause", "POST /api/host/rules", "POST /api/host/rules/x", "DELETE /api/host/rules/x"} {
		wantRefusal(t, d, line, 404, "Unknown route: "+line)
	}
}
