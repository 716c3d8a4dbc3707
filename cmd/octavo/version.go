package main

import (
	"fmt"

	"github.com/octavo-books/octavo/cmd/assembly"
)

type versionCommand struct{}

func (versionCommand) Run(c console) error {
	_, err := fmt.Fprintln(c.out, assembly.Version())
	return err
}
