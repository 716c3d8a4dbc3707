package e2e_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
)

func TestAMarketInPoundsForACUKNeedsTwoSettings(t *testing.T) {
	t.Parallel()
	s := e2e.StartWith(t, []string{"CURRENCY=GBP", "CAMPUS_DOMAINS=ac.uk"})
	anyone := e2e.Client{URL: s.URL}
	onlyACUKMaySignUp(t, s.URL)
	ada, ben := s.Student("Ada@Keble.OX.ac.uk", "Ada"), s.Student("ben@cam.ac.uk", "Ben")
	id := ada.Post(t, "Introduction to Algorithms", "CSC 172") // for 42.50

	var listed []struct {
		Price    json.Number
		Currency string
	}
	anyone.Must(t, 200, "GET", "/api/books/getAllBooks", nil).Data(t, &listed)
	if len(listed) != 1 || listed[0].Price != "42.50" || listed[0].Currency != "GBP" {
		t.Errorf("listed: %+v", listed)
	}
	var receipt struct {
		Total  json.Number
		Orders []struct {
			Total    json.Number
			Currency string
		}
	}
	ben.Must(t, 201, "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{id}}).Data(t, &receipt)
	if receipt.Total != "44.63" || len(receipt.Orders) != 1 || receipt.Orders[0].Currency != "GBP" {
		t.Errorf("bought: %+v", receipt)
	}
	if m := s.Mail("ben@cam.ac.uk", "purchase_placed"); !strings.Contains(m.Text, "Price: £42.50. Fee: £2.13. Total: £44.63.") {
		t.Errorf("the mail says %s", m.Text)
	}
	other := ada.Post(t, "Topology", "MTH 440")
	for lang, want := range map[string]string{"en": "£42.50", "fr": "42,50\u00a0£"} {
		if _, page := exchange(t, "GET", s.URL+"/book?id="+other, "", "Accept-Language", lang); !strings.Contains(page, want) || strings.Contains(page, "$") {
			t.Errorf("the page in %s does not show %s", lang, want)
		}
	}
	s.Promote("ada@keble.ox.ac.uk", "owner")
	ada.Must(t, 200, "POST", "/api/dashboard/confirmBook", map[string]string{"bookId": id})
	var statistics struct {
		MoneyMoved, FeesEarned json.Number
		Currency               string
	}
	ada.Must(t, 200, "GET", "/api/dashboard/getStatistics", nil).Data(t, &statistics)
	if statistics.MoneyMoved != "42.50" || statistics.FeesEarned != "2.13" || statistics.Currency != "GBP" {
		t.Errorf("statistics: %+v", statistics)
	}
}

// onlyACUKMaySignUp requires refusals that name the addresses which may join.
func onlyACUKMaySignUp(t *testing.T, market string) {
	t.Helper()
	anyone := e2e.Client{URL: market}
	refusal := anyone.Must(t, 400, "POST", "/api/auth/signup", map[string]string{
		"email": "ada@rochester.edu", "password": e2e.Password, "firstName": "A", "lastName": "B", "university": "C", "campusMailbox": "1", "paymentUsername": "p",
	})
	if text := string(refusal.Body); !strings.Contains(text, "It ends in ac.uk.") || !strings.Contains(text, "Must end in ac.uk") || strings.Contains(text, ".edu") {
		t.Errorf("the refusal is %s", text)
	}
	if _, page := exchange(t, "GET", market+"/signup", "", "Accept-Language", "fr"); !strings.Contains(page, "Elle se termine par ac.uk.") {
		t.Error("the page does not say which addresses may join")
	}
	unnamed := map[string]string{"email": "ada@ox.ac.uk", "password": e2e.Password, "firstName": "A", "lastName": "B", "campusMailbox": "1", "paymentUsername": "p"}
	if text := string(anyone.Must(t, 400, "POST", "/api/auth/signup", unnamed).Body); !strings.Contains(text, `"university"`) {
		t.Errorf("the refusal of a sign-up without a university is %s", text)
	}
}

func TestPricesInADatabaseKeepTheirCurrency(t *testing.T) {
	t.Parallel()
	s := e2e.StartWith(t, []string{"CURRENCY=JPY"}, "market")
	ada := s.Student("ada@u.edu", "Ada")
	book := map[string]any{"name": "Topology", "edition": 1, "course": "MTH 440", "price": 1000000, "condition": "Good", "date": time.Now().UTC().Format(time.DateOnly)}
	var posted struct{ Price json.Number }
	ada.Must(t, 201, "POST", "/api/books/postBook", book).Data(t, &posted)
	if posted.Price != "1000000" {
		t.Errorf("¥1,000,000 are %s", posted.Price)
	}
	book["price"] = 12.5
	if refusal := string(ada.Must(t, 400, "POST", "/api/books/postBook", book).Body); !strings.Contains(refusal, "Must be an amount in JPY without decimals") {
		t.Errorf("the refusal is %s", refusal)
	}
	s.Stop()
	out, code := s.Octavo("serve", "market", "--currency=USD")
	if code != 2 || !strings.Contains(out, "CURRENCY") || !strings.Contains(out, "the database holds prices in JPY") {
		t.Errorf("exit code %d: %s", code, out)
	}
	s.Restart()
}

func TestTheAddressDecidesTheUniversityWhereDomainsHaveNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "campus.csv")
	write(t, file, "# our partners\nox.ac.uk, University of Oxford\ncs.ox.ac.uk, Oxford, Computer Science\n")
	s := e2e.StartWith(t, []string{"CAMPUS_DOMAINS=@" + file, "TERMS_URL=https://u.example/terms", "PAGES_DIR=" + dir, "SUPPORT_MAIL=help@u.example"})
	write(t, filepath.Join(dir, "help.md"), "# Our help\n\n<script>alert(1)</script>\n\n**Ask** [us](javascript:alert(1)).\n")
	ada := s.Student("ada@dept.cs.ox.ac.uk", "Ada") // says that she is at another university
	var me struct{ University string }
	ada.Must(t, 200, "GET", "/api/user/getUserData", nil).Data(t, &me)
	if me.University != "Oxford, Computer Science" {
		t.Errorf("Ada is at %q", me.University)
	}
	ada.Must(t, 200, "POST", "/api/auth/updateProfile", map[string]string{"university": "Elsewhere", "firstName": "Ada-Marie"}).Data(t, &me)
	if me.University != "Oxford, Computer Science" {
		t.Errorf("Ada has moved to %q", me.University)
	}
	bea := map[string]string{"email": "bea@ox.ac.uk", "password": e2e.Password, "firstName": "Bea", "lastName": "B", "campusMailbox": "1", "paymentUsername": "p"}
	e2e.Client{URL: s.URL}.Must(t, 201, "POST", "/api/auth/signup", bea)
	if _, page := exchange(t, "GET", s.URL+"/signup", ""); strings.Contains(page, `name="university"`) || !strings.Contains(page, "It ends in cs.ox.ac.uk or ox.ac.uk.") {
		t.Error("the page asks for the university")
	}
	s.Stop()
	s.Restart()
	if r, _ := exchange(t, "GET", s.URL+"/terms", ""); r.StatusCode != http.StatusFound || r.Header.Get("Location") != "https://u.example/terms" {
		t.Errorf("/terms answers %d %s", r.StatusCode, r.Header.Get("Location"))
	}
	if r, page := exchange(t, "GET", s.URL+"/help", ""); r.StatusCode != 200 || !strings.Contains(page, "<h1 id=\"our-help\">Our help</h1>") || !strings.Contains(page, "<strong>Ask</strong>") ||
		strings.Contains(page, "<script>") || strings.Contains(page, "javascript:") || !strings.Contains(page, `<a href="https://u.example/terms">Terms</a>`) {
		t.Errorf("/help answers %d: %s", r.StatusCode, page)
	}
	if r, page := exchange(t, "GET", s.URL+"/privacy", "", "Accept-Language", "fr"); r.StatusCode != 200 || !strings.Contains(page, "Confidentialité") || !strings.Contains(page, "help@u.example") {
		t.Errorf("/privacy answers %d", r.StatusCode)
	}
	for content, want := range map[string]string{"ox.ac.uk, Oxford\n\nOX.ac.uk, Again\n": "line 3: ox.ac.uk is listed twice", "ox.ac.uk\n": "line 1: ox.ac.uk has no university"} {
		write(t, file, content)
		if out, code := s.Octavo("serve"); code != 2 || !strings.Contains(out, "CAMPUS_DOMAINS") || !strings.Contains(out, want) {
			t.Errorf("exit code %d: %s", code, out)
		}
	}
}

func TestDaysAndDatesAreThoseOfTheCampus(t *testing.T) {
	t.Parallel()
	s := e2e.StartWith(t, []string{"CAMPUS_TIMEZONE=Pacific/Kiritimati"}, "market") // 14 hours before UTC
	ada := s.Student("ada@u.edu", "Ada")
	s.Promote("ada@u.edu", "admin")
	zone := time.FixedZone("", 14*60*60)
	before := time.Now().In(zone).Format(time.DateOnly)
	ada.Post(t, "Topology", "MTH 440")
	var statistics struct {
		Daily []struct {
			Day    string
			Posted int
		}
	}
	ada.Must(t, 200, "GET", "/api/dashboard/getStatistics", nil).Data(t, &statistics)
	after := time.Now().In(zone).Format(time.DateOnly)
	posted := ""
	for _, d := range statistics.Daily {
		if d.Posted > 0 {
			posted = d.Day
		}
	}
	if len(statistics.Daily) != 90 || posted != before && posted != after {
		t.Errorf("posted on %q of %d days, want %s", posted, len(statistics.Daily), before)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
