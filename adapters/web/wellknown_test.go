package web_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image/png"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestCrawlersMayReadOnlyPublicPages(t *testing.T) {
	robots := newCampus(t).visitor().open("/robots.txt").shows(200, "User-agent: *\n", "\nDisallow: /\n")
	allowed := func(path string) bool { // RFC 9309: the longest pattern wins
		for _, line := range strings.Split(robots.body, "\n") {
			pattern, ok := strings.CutPrefix(line, "Allow: ")
			if exact, end := strings.CutSuffix(pattern, "$"); ok && (end && path == exact || !end && strings.HasPrefix(path, pattern)) {
				return true
			}
		}
		return false
	}
	for path, want := range map[string]bool{
		"/": true, "/book?id=7": true, "/?cursor=abc": true, "/static/octavo.css?v=1": true, "/help": true, "/photos/7/thumb": true,
		"/?q=algebra": false, "/?course=CSC172": false, "/account": false, "/dashboard": false, "/cart": false, "/login": false,
		"/invitation?token=x": false, "/api/books/getAllBooks": false, "/graphql": false, "/dev/mail": false, "/webhooks": false,
	} {
		if allowed(path) != want {
			t.Errorf("%s: allowed %v", path, !want)
		}
	}
	if body := newAuthSite(t).visitor().open("/robots.txt").shows(200).body; strings.Contains(body, "Allow:") {
		t.Errorf("without a marketplace: %s", body)
	}
}

func TestSecurityTextNamesAContactAndHasNotExpired(t *testing.T) {
	c := newCampus(t)
	for range 3 {
		p := c.visitor().open("/.well-known/security.txt").shows(200, "Contact: https://octavo.example/help\n", "Canonical: https://octavo.example/.well-known/security.txt\n")
		line := regexp.MustCompile(`(?m)^Expires: (.+)$`).FindStringSubmatch(p.body)
		if line == nil {
			t.Fatal(p.body)
		}
		expires, err := time.Parse(time.RFC3339, line[1])
		if left := expires.Sub(c.Clock.Now()); err != nil || left < 30*24*time.Hour || left > 365*24*time.Hour {
			t.Errorf("it expires in %v, %v", left, err)
		}
		if p.header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Error(p.header)
		}
		c.Clock.Advance(200 * 24 * time.Hour)
	}
}

func TestAPasswordManagerFindsWhereToChangeAPassword(t *testing.T) {
	v := newCampus(t).student("Ada")
	w := v.exchange("GET", "/.well-known/change-password", nil)
	if to := w.Header().Get("Location"); w.Code != 302 || to != "/account" {
		t.Fatalf("%d to %s", w.Code, to)
	}
	v.open("/account").shows(200, `action="/account/password"`)
}

func TestAPhoneCanInstallTheSite(t *testing.T) {
	v := newCampus(t).visitor()
	p := v.open("/manifest.webmanifest").shows(200)
	var m struct {
		Name, ID, Display string
		StartURL          string `json:"start_url"`
		Icons             []struct{ Src, Sizes, Type, Purpose string }
	}
	if err := json.Unmarshal([]byte(p.body), &m); err != nil || m.Name != "Octavo" || m.StartURL != "/" || m.Display != "standalone" {
		t.Errorf("%v %s", err, p.body)
	}
	if got := p.header.Get("Content-Type"); got != "application/manifest+json" {
		t.Error(got)
	}
	purposes := map[string]int{}
	for _, icon := range m.Icons {
		file := v.open(icon.Src).shows(200)
		drawn, err := png.DecodeConfig(strings.NewReader(file.body))
		if side := strconv.Itoa(drawn.Width); err != nil || icon.Sizes != side+"x"+side || drawn.Width != drawn.Height || file.header.Get("Content-Type") != icon.Type {
			t.Errorf("%s: %v, %dx%d, %v", icon.Src, err, drawn.Width, drawn.Height, file.header)
		}
		purposes[icon.Purpose+" "+icon.Sizes]++
	}
	for _, needed := range []string{"any 192x192", "any 512x512", "maskable 192x192", "maskable 512x512"} {
		if purposes[needed] != 1 {
			t.Errorf("no icon for %s", needed)
		}
	}
	if page := v.open("/").shows(200); !strings.Contains(page.header.Get("Content-Security-Policy"), "manifest-src 'self'") {
		t.Error("the policy blocks the manifest")
	}
}

func TestTheIconOfBookmarksIsAnIcoFile(t *testing.T) {
	p := newCampus(t).visitor().open("/favicon.ico").shows(200)
	b := []byte(p.body)
	if p.header.Get("Content-Type") != "image/x-icon" || len(b) < 22 || !bytes.Equal(b[:6], []byte{0, 0, 1, 0, 1, 0}) {
		t.Fatalf("%v % x", p.header, b[:min(22, len(b))])
	}
	size, at := binary.LittleEndian.Uint32(b[14:]), binary.LittleEndian.Uint32(b[18:])
	drawn, err := png.DecodeConfig(bytes.NewReader(b[at:]))
	if err != nil || int(size) != len(b)-int(at) || drawn.Width != int(b[6]) || drawn.Height != int(b[7]) {
		t.Errorf("%v, %d bytes at %d, %dx%d", err, size, at, drawn.Width, drawn.Height)
	}
}
