package inspector_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

func TestAnEmptyInboxSaysHowToSendAFirstDelivery(t *testing.T) {
	s := openSite(t)
	s.wants(s.get(200, "/webhooks"), "No deliveries yet", "octavo webhooks send push --to http://127.0.0.1:3000/api/host/webhooks", "but not", "<svg")
	s.wants(s.get(200, "/webhooks?state=dead"), "No delivery matches these filters", `href="/webhooks"`, "0 deliveries in the last 24 hours", "but not", "No deliveries yet")
}

func TestTheListIsFiltered(t *testing.T) {
	s := openSite(t)
	s.add(inbox.Delivery{ID: "old", Event: "issues", Action: "opened"}, 30*time.Hour, inbox.Delivered)
	s.add(inbox.Delivery{ID: "failed", Source: "ci"}, 2*time.Hour, inbox.Dead, inbox.Delivered)
	s.add(inbox.Delivery{ID: "waiting"}, 10*time.Minute, inbox.Open)
	for query, want := range map[string]string{
		"":                      "waiting failed old",
		"state=dead":            "failed",
		"state=pending":         "waiting",
		"state=delivered":       "old",
		"source=ci":             "failed",
		"source=default":        "waiting old",
		"event=issues":          "old",
		"range=hour":            "waiting",
		"range=day":             "waiting failed",
		"range=week":            "waiting failed old",
		"from=2026-11-20T09:00": "waiting failed",
		"from=2026-11-20T09%3A00%3A00&to=2026-11-20T11%3A00%3A00": "failed",
		"to=2026-11-20T09:00:00Z":                                 "old",
		"state=&source=&event=+&range=&from=&to=":                 "waiting failed old",
	} {
		body := s.get(200, "/webhooks?"+query)
		var got []string
		for _, found := range regexp.MustCompile(`href="/webhooks/deliveries/([a-z]+)`).FindAllStringSubmatch(body, -1) {
			got = append(got, found[1])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s lists %v, want %s", query, got, want)
		}
	}
	s.wants(s.get(200, "/webhooks?state=dead"), "2 targets: 1 dead, 1 delivered", `<option selected>dead</option>`)
	s.wants(s.get(200, "/webhooks?event=issues"), "issues.opened", `value="issues"`)
	s.wants(s.get(200, "/webhooks?source=gone"), `<option selected>gone</option>`)
}

func TestAWrongFilterIsNamed(t *testing.T) {
	s := openSite(t)
	for query, field := range map[string]string{
		"state=lost": "State", "event=issues.opened": "Event", "range=year": "Range", "range=day&from=2026-11-20T09:00": "Range",
		"from=yesterday": "From", "to=9999-01-01T00:00": "To", "from=2026-11-20T09:00&to=2026-11-20T08:00": "From", "cursor=x": "Cursor",
		"source=%00": "Source",
	} {
		s.wants(s.get(400, "/webhooks?"+query), `role="alert">`+field+" ")
	}
}

func TestPagesFollowEachOtherToTheEnd(t *testing.T) {
	s := openSite(t)
	for i := range 120 {
		s.add(inbox.Delivery{ID: fmt.Sprint("d", i)}, time.Minute)
	}
	next, seen := "/webhooks?source=default", 0
	older := regexp.MustCompile(`rel="next" href="([^"]+)"`)
	for pages := 0; next != ""; pages++ {
		body := s.get(200, next)
		seen += strings.Count(body, `class="id"`)
		if found := older.FindStringSubmatch(body); found != nil {
			next = html.UnescapeString(found[1])
		} else {
			next = ""
		}
		if live := strings.Contains(body, "data-live"); live != (pages == 0) {
			t.Errorf("page %d updates itself: %v", pages, live)
		}
	}
	if seen != 120 {
		t.Errorf("%d deliveries were listed", seen)
	}
}

func TestTheChartCountsByStateAndLeadsToItsDeliveries(t *testing.T) {
	s := openSite(t)
	for i := range 6 {
		s.add(inbox.Delivery{ID: fmt.Sprint(i)}, 3*time.Hour, inbox.Delivered)
	}
	s.add(inbox.Delivery{ID: "dead"}, 3*time.Hour, inbox.Dead)
	s.add(inbox.Delivery{ID: "old"}, 25*time.Hour, inbox.Open)
	body := s.get(200, "/webhooks")
	s.wants(body, "7 deliveries in the last 24 hours: 6 delivered, 0 pending, 1 dead",
		`<rect class="delivered" `, "<title>2026-11-20 09:00: 6 delivered</title>", "<title>2026-11-20 09:00: 1 dead</title>", "but not", `<rect class="pending"`)
	link := regexp.MustCompile(`<th scope="row"><a href="([^"]+)">2026-11-20 09:00`).FindStringSubmatch(body)
	if link == nil {
		t.Fatalf("the figures have no link:\n%s", body)
	}
	if u, err := url.Parse(html.UnescapeString(link[1])); err != nil || u.Query().Get("to") != "2026-11-20T09:30:00" {
		t.Errorf("the bar leads to %v, %v", u, err)
	}
	s.wants(s.get(200, html.UnescapeString(link[1])), "7 deliveries in this time range", "/deliveries/dead?", "but not", "/deliveries/old?")
	s.wants(s.get(200, "/webhooks?range=week"), "8 deliveries in the last 7 days: 6 delivered, 1 pending, 1 dead")
	s.wants(s.get(200, "/webhooks?from=1971-01-01T00:00&to=2199-12-31T00:00"), "8 deliveries")
}
