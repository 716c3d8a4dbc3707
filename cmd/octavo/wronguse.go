package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// withHelp says where to read what a command takes whose arguments are missing.
func withHelp(err error) error {
	var wrong *kong.ParseError
	if !errors.As(err, &wrong) || wrong.Context == nil || !strings.HasPrefix(err.Error(), "expected ") {
		return err
	}
	command := wrong.Context.Selected()
	if command == nil {
		return err
	}
	return fmt.Errorf("%w: see %s", err, strings.Replace(command.FullPath(), "octavo ", "octavo help ", 1))
}
