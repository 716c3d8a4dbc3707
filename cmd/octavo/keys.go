package main

import "github.com/octavo-books/octavo/cmd/config"

type keysCommand struct {
	Generate keysGenerate `cmd:"" help:"Print a fresh P-521 pair as two lines, PUBLIC_KEY and PRIVATE_KEY."`
}

type keysGenerate struct{}

func (keysGenerate) Run(c console) error { return config.GenerateKeys(c.out) }
