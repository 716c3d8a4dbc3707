package webhookcommands

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// printAttempts prints the requests to the targets, oldest first, each with the beginning
// of its answer below it.
func printAttempts(out io.Writer, all []inbox.Attempt) error {
	for _, a := range all {
		about := a.Rule
		if !strings.Contains(about, a.Target) {
			about += " to " + a.Target
		}
		if _, err := fmt.Fprintf(
			out, "  %s  %s  %s in %s\n", a.At.Format(time.RFC3339), about, attemptResult(a), shortDuration(a.Duration),
		); err != nil {
			return err
		}
		if answer := strings.TrimSpace(a.Answer); answer != "" {
			if _, err := fmt.Fprintf(out, "    %s\n", strings.ReplaceAll(answer, "\n", "\n    ")); err != nil {
				return err
			}
		}
	}
	return nil
}

// attemptResult is the status or, without a response, the error.
func attemptResult(a inbox.Attempt) string {
	switch {
	case a.Status != 0:
		return fmt.Sprintf("answered %d", a.Status)
	case a.Error != "":
		return a.Error
	}
	return "no response"
}

// shortDuration formats a duration in milliseconds, or in seconds from one second on.
func shortDuration(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
