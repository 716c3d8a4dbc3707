package main

import (
	"fmt"
	"io"

	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

// output remembers that something could not be written: not all who print say so, and a full disk is no invalid command.
type output struct {
	to     io.Writer
	failed error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if err != nil {
		o.failed = err
	}
	return n, err
}

// exitCode returns the exit code of a command that would end with code.
func (o *output) exitCode(c terminal.Console, code int) int {
	if o.failed == nil {
		return code
	}
	if code == 0 {
		fmt.Fprintln(c.Err, "octavo:", o.failed)
	}
	return 1
}
