package main

import (
	"fmt"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

type versionCommand struct{}

func (versionCommand) Run(c terminal.Console) error {
	_, err := fmt.Fprintln(c.Out, config.VersionLine())
	return err
}
