package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/octavo-books/octavo/cmd/config"
)

// Clock tells the time and calls a function periodically.
type Clock interface {
	Now() time.Time
	Every(d time.Duration, do func()) (stop func())
}

// SystemClock is the clock of the machine.
type SystemClock struct{}

// Now implements Clock.
func (SystemClock) Now() time.Time { return time.Now() }

// Every implements Clock.
func (SystemClock) Every(d time.Duration, do func()) (stop func()) {
	ticker, done := time.NewTicker(d), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				do()
			case <-done:
				return
			}
		}
	}()
	return sync.OnceFunc(func() { ticker.Stop(); close(done) })
}

// How often progress is shown.
const (
	redrawBar = 100 * time.Millisecond
	printLine = 5 * time.Second
)

// Progress shows the progress of long work: as a bar on a terminal, else as a line every
// five seconds. It is safe for concurrent use.
type Progress struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	clock    Clock
	began    time.Time
	stop     func()

	what     string
	done, of int64
	first    int64     // done of the first report of this step,
	since    time.Time // and its time
	stopped  bool
}

// StartProgress shows progress on standard error until Stop, even while nothing is reported.
func (c Console) StartProgress(what string) *Progress {
	p := &Progress{out: c.Err, terminal: config.IsTerminal(c.Err), clock: c.Clock, began: c.Clock.Now(), what: what}
	interval := printLine
	if p.terminal {
		interval = redrawBar
	}
	p.stop = c.Clock.Every(interval, p.show)
	return p
}

// Report sets the current step and its progress; an of of 0 means that the total is unknown.
func (p *Progress) Report(what string, done, of int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if what != p.what || done < p.done {
		p.first, p.since = done, p.clock.Now()
	}
	p.what, p.done, p.of = what, done, of
}

// Println prints a line above the bar.
func (p *Progress) Println(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal {
		line = "\r\x1b[K" + line
	}
	_, _ = fmt.Fprintln(p.out, line)
}

// FollowFile reports the size of a growing copy of another file, until stop.
func (p *Progress) FollowFile(name, from, to string) (stop func()) {
	return p.clock.Every(redrawBar, func() {
		whole, err := os.Stat(from)
		if err != nil {
			return
		}
		if copied, err := os.Stat(to); err == nil {
			p.Report("copying "+name+", then reading it, in KB", copied.Size()>>10, max(1, whole.Size()>>10))
		}
	})
}

// Stop removes the bar.
func (p *Progress) Stop() {
	p.stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	if p.terminal {
		_, _ = io.WriteString(p.out, "\r\x1b[K")
	}
}

func (p *Progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	line := fmt.Sprintf("%s: %s, %s%s", p.what, p.share(), p.clock.Now().Sub(p.began).Round(time.Second), p.speed())
	if p.terminal {
		_, _ = fmt.Fprintf(p.out, "\r\x1b[K%s%s", p.bar(), line)
		return
	}
	_, _ = fmt.Fprintln(p.out, line)
}

func (p *Progress) share() string {
	switch {
	case p.of > 0:
		return fmt.Sprintf("%d %%, %d of %d", 100*p.done/p.of, p.done, p.of)
	case p.done > 0:
		return fmt.Sprintf("%d done", p.done)
	}
	return "working"
}

// speed returns how many are done in a second, and how long the rest of the step takes at that
// rate. It is empty until there is something to go by.
func (p *Progress) speed() string {
	took, done := p.clock.Now().Sub(p.since), p.done-p.first
	if p.of <= 0 || done <= 0 || p.done >= p.of || took < time.Second {
		return ""
	}
	rate := float64(done) / took.Seconds()
	left := time.Duration(float64(p.of-p.done) / rate * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf(", %.0f a second, %s left", rate, left)
}

// bar is 20 characters wide.
func (p *Progress) bar() string {
	if p.of <= 0 {
		return ""
	}
	full := int(20 * min(p.done, p.of) / p.of)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", 20-full) + "] "
}
