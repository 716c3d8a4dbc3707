package main

import (
	"fmt"

	"github.com/octavo-books/octavo/cmd/config"
)

type versionCommand struct{}

func (versionCommand) Run(c console) error {
	_, err := fmt.Fprintln(c.out, config.VersionLine())
	return err
}
