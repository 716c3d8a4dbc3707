package inboxhttp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/application/inbox"
)

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
