package terminal

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/user"
)

// AsJSON is the flag of every command.
type AsJSON struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Print prints v as one line of JSON, or else calls text.
func (a AsJSON) Print(out io.Writer, v any, text func(io.Writer) error) error {
	if !a.JSON {
		return text(out)
	}
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", line)
	return err
}

// misuse is an invalid command line; the program exits with 2.
type misuse struct{ text string }

func (m misuse) Error() string        { return m.text }
func (m misuse) Is(target error) bool { return target == config.ErrSetting }

// Misused returns the error of an invalid command line.
func Misused(format string, args ...any) error { return misuse{fmt.Sprintf(format, args...)} }

// Count formats a number with its noun.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Operator is the caller of commands.
var Operator = user.Caller{ID: user.OperatorID, Role: user.Owner}
