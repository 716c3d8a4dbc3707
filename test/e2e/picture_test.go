package e2e_test

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
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
	s := e2e.Start(t, "market")
	s.Stop()
	if out, code := s.Octavo("demo", "--books", "400", "--users", "60", "--seed", "1"); code != 0 {
		t.Fatal(out)
	}
	s.Restart()
	b := openBrowser(t, s.URL)
	b.do(chromedp.EmulateViewport(1120, 700))
	b.open("/?q=chemistry")
	b.text("Chemistry")
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "market.png"), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestThePicturesOfTheReadmeAreThereAndSmall(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	pictures := regexp.MustCompile(`!\[[^\]]+\]\(([^)]+\.png)\)`).FindAllStringSubmatch(string(readme), -1)
	if len(pictures) == 0 {
		t.Error("the README shows no picture")
	}
	for _, p := range pictures {
		content, err := os.ReadFile(filepath.Join("../..", p[1]))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := png.DecodeConfig(bytes.NewReader(content)); err != nil || len(content) > 150<<10 {
			t.Errorf("%s has %d bytes: %v", p[1], len(content), err)
		}
	}
}
