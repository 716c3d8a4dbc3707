// Package terminal has what the commands share: their streams, arguments, progress and style.
package terminal

import (
	"errors"
	"io"
)

// Console holds the standard streams of a command.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
	Style    Style // of out
	Clock    Clock
}

// ErrReported ends with exit code 2 a command that has printed what is wrong with the settings.
var ErrReported = errors.New("invalid settings")

// ErrSilent ends with exit code 1 a command that has printed its errors itself.
var ErrSilent = errors.New("failed")
