package upcommand

import (
	"bufio"
	"io"
	"os"
	"strings"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

// questions asks on a terminal. Elsewhere, and with --yes, there are no answers.
type questions struct {
	c       terminal.Console
	answers *bufio.Reader // nil: nobody can be asked
	yes     bool
}

func newQuestions(c terminal.Console, yes bool) questions {
	q := questions{c: c, yes: yes}
	in, isFile := c.In.(*os.File)
	if isFile && config.IsTerminal(in) && config.IsTerminal(c.Out) {
		q.answers = bufio.NewReader(in)
	}
	return q
}

// ask returns an answer; "" if nobody can be asked.
func (q questions) ask(text string) string {
	if q.answers == nil || q.yes {
		return ""
	}
	_, _ = io.WriteString(q.c.Out, text+" ")
	line, _ := q.answers.ReadString('\n') // an end of the input is an empty answer
	return strings.TrimSpace(line)
}

// agree asks whether to go on.
func (q questions) agree(text string) bool {
	if q.answers == nil || q.yes {
		return true
	}
	answer := strings.ToLower(q.ask(text + " [Y/n]"))
	return answer == "" || strings.HasPrefix(answer, "y")
}

// fromEnvironment returns what the environment has of a setting. A secret that is in a file stays there.
func fromEnvironment(name string) (variable, value string) {
	if path := os.Getenv(name + "_FILE"); path != "" {
		return name + "_FILE", path
	}
	return name, os.Getenv(name)
}
