package doctor

import (
	"fmt"
	"io"

	"github.com/octavo-books/octavo/cmd/config"
)

// finding is the result of a check. Every finding that is not ok has advice.
type finding struct {
	name   string
	state  string
	text   string
	advice string
}

// The states of a finding.
const (
	ok      = "ok"
	warning = "warn" // works, but needs attention
	failure = "FAIL"
)

func passed(name, text string, args ...any) finding {
	return finding{name: name, state: ok, text: fmt.Sprintf(text, args...)}
}

func warn(name, text, advice string) finding { return finding{name, warning, text, advice} }

func failed(name string, err error, advice string) finding {
	return finding{name, failure, config.OneLine(err), advice}
}

// colors are the codes of ECMA-48 for the states. All have the same length, so that
// columns stay aligned; advice has the default colour.
var colors = map[string]string{ok: "32", warning: "33", failure: "31", "": "39"}

func (f finding) print(w io.Writer, paint func(code, text string) string) {
	_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", paint(colors[f.state], f.state), f.name, f.text)
	if f.advice != "" {
		_, _ = fmt.Fprintf(w, "%s\t\t→ %s\n", paint(colors[""], ""), f.advice)
	}
}
