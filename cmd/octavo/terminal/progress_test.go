package terminal

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// manualClock advances only when a test says so.
type manualClock struct {
	now   time.Time
	every map[time.Duration]func()
}

func (h *manualClock) Now() time.Time { return h.now }

func (h *manualClock) Every(d time.Duration, do func()) (stop func()) {
	h.every[d] = do
	return func() { delete(h.every, d) }
}

// passFiveSeconds advances the clock by the interval of the lines.
func (h *manualClock) passFiveSeconds() {
	h.now = h.now.Add(5 * time.Second)
	h.every[5*time.Second]()
}

func TestLongWorkPrintsALineEveryFiveSecondsWithoutATerminal(t *testing.T) {
	clock, out := &manualClock{every: map[time.Duration]func(){}}, &bytes.Buffer{}
	shown := Console{Err: out, Clock: clock}.StartProgress("demo")
	for done := range int64(1000) {
		shown.Report("books", done, 2000)
	}
	if out.Len() > 0 {
		t.Errorf("printed %q at once", out)
	}
	clock.passFiveSeconds()
	shown.Report("books", 1500, 2000)
	clock.passFiveSeconds()
	shown.Stop()
	if want := "books: 49 %, 999 of 2000, 5s, 200 a second, 5s left\nbooks: 75 %, 1500 of 2000, 10s, 150 a second, 3s left\n"; out.String() != want {
		t.Errorf("printed %q", out)
	}
	if len(clock.every) != 0 {
		t.Error("the ticker was not stopped")
	}
}

// What was there before says nothing about the speed.
func TestTheSpeedIsThatOfTheStepSinceItsFirstReport(t *testing.T) {
	clock, out := &manualClock{every: map[time.Duration]func(){}}, &bytes.Buffer{}
	shown := Console{Err: out, Clock: clock}.StartProgress("demo")
	shown.Report("books that are already loaded", 500, 1000)
	clock.now = clock.now.Add(100 * time.Second)
	shown.Report("books", 600, 1000)
	clock.now = clock.now.Add(15 * time.Second)
	shown.Report("books", 800, 1000)
	clock.passFiveSeconds()
	shown.Report("books", 1000, 1000)
	clock.passFiveSeconds()
	shown.Stop()
	if want := "books: 80 %, 800 of 1000, 2m0s, 10 a second, 20s left\nbooks: 100 %, 1000 of 1000, 2m5s\n"; out.String() != want {
		t.Errorf("printed %q", out)
	}
}

func TestLongWorkShowsABarOnATerminalAndRemovesIt(t *testing.T) {
	clock, out := &manualClock{every: map[time.Duration]func(){}}, &bytes.Buffer{}
	shown := &Progress{out: out, terminal: true, clock: clock, began: clock.Now(), stop: func() {}, what: "import"}
	shown.show()
	shown.Report("import", 50, 100)
	shown.show()
	shown.Println("line 3: bad")
	shown.Stop()
	shown.show()
	for _, part := range []string{"\r\x1b[Kimport: working, 0s", "\r\x1b[K[##########..........] import: 50 %, 50 of 100, 0s", "\r\x1b[Kline 3: bad\n"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %q in %q", part, out)
		}
	}
	if !strings.HasSuffix(out.String(), "\n\r\x1b[K") {
		t.Errorf("the bar is not removed: %q", out)
	}
}
