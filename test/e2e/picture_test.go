package e2e_test

import (
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/e2e"
)

// `go tool task screenshots` runs this test to write the pictures.
func TestThePicturesOfTheReadmeAreTakenAnew(t *testing.T) {
	dir := os.Getenv("OCTAVO_PICTURES")
	if dir == "" {
		t.Skip("OCTAVO_PICTURES names no folder to write them to")
	}
	c := openCampus(t)
	b := openBrowser(t, c.URL)
	b.be(c.people["buyer"])
	for name, at := range map[string]struct {
		path string
		setting
	}{
		"market": {"/?q=chemistry", setting{1120, 700, "light", "en"}},
		"order":  {"/order?id=" + c.orders["verified"].ID, setting{1120, 700, "light", "en"}},
		"phone":  {"/", setting{390, 700, "dark", "en"}},
	} {
		b.see(at.setting)
		b.open(at.path)
		b.await(`String([...document.images].every(i => i.complete || i.getBoundingClientRect().top > innerHeight))`, "true")
		picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// pictureTarget accepts all deliveries but those for the tracker.
type pictureTarget struct{}

func (pictureTarget) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/tracker") {
		w.WriteHeader(http.StatusGone)
	}
}

// TestThePictureOfTheWebhookPagesIsTakenAnew writes it as the test above does.
func TestThePictureOfTheWebhookPagesIsTakenAnew(t *testing.T) {
	dir := os.Getenv("OCTAVO_PICTURES")
	if dir == "" {
		t.Skip("OCTAVO_PICTURES names no folder to write it to")
	}
	target := newServer(t, pictureTarget{})
	s := e2e.StartWith(t, []string{"WEBHOOK_SECRET=" + inboxSecret, "WEBHOOK_FORWARD=push=" + target + "/deploy,issues=" + target + "/tracker,*=" + target + "/audit"}, "webhooks")
	events := []string{"push", "pull_request.opened", "star.created", "push", "issues.opened", "check_run.completed", "push"}
	for i := range 60 {
		if out, code := s.Octavo("webhooks", "send", events[i%len(events)], "--id", fmt.Sprintf("72d3162e-cc78-11e3-81ab-4c9367dc%04d", i), "--to", s.URL+"/api/host/webhooks"); code != 0 {
			t.Fatal(out)
		}
	}
	s.Stop()
	spreadOverAnHour(t, filepath.Join(s.DataDir, "webhooks.db"))
	s.Restart()
	b := openBrowser(t, s.URL)
	b.do(chromedp.EmulateViewport(1120, 700))
	b.open("/webhooks?range=hour")
	b.text(" 0 pending, ")
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "webhooks.png"), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

// spreadOverAnHour makes the deliveries older, so that the chart has more than one bar.
func spreadOverAnHour(t *testing.T, file string) {
	t.Helper()
	db := openBesideTheProgram(t, file)
	const later = `(SELECT COUNT(*) FROM inbox_deliveries l WHERE l.seq > d.seq)`
	if _, err := db.ExecContext(t.Context(), `UPDATE inbox_deliveries AS d SET received_at = received_at - `+later+` * `+later+` * 900000`); err != nil {
		t.Fatal(err)
	}
}

func TestThePicturesOfTheDocumentsAreThereAndSmall(t *testing.T) {
	for _, document := range []string{"README.md", "docs/webhooks.md", "docs/market.md"} {
		text, err := os.ReadFile(filepath.Join("../..", document))
		if err != nil {
			t.Fatal(err)
		}
		pictures := regexp.MustCompile(`!\[[^\]]+\]\(([^)]+\.png)\)`).FindAllStringSubmatch(string(text), -1)
		if len(pictures) == 0 {
			t.Errorf("%s shows no picture", document)
		}
		for _, p := range pictures {
			content, err := os.ReadFile(filepath.Join("../..", filepath.Dir(document), p[1]))
			if err != nil {
				t.Error(err)
				continue
			}
			if _, err := png.DecodeConfig(bytes.NewReader(content)); err != nil || len(content) > 150<<10 {
				t.Errorf("%s has %d bytes: %v", p[1], len(content), err)
			}
		}
	}
}
