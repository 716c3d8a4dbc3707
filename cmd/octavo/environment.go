package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/octavo-books/octavo/cmd/assembly"
)

// prepareEnvironment drops variables that are set to nothing, as compose files
// and shells leave them, and reads the secrets that are kept in files.
func prepareEnvironment() error {
	for _, pair := range os.Environ() {
		if name, value, _ := strings.Cut(pair, "="); value == "" {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	for _, name := range assembly.Secrets {
		if err := readSecret(name); err != nil {
			return err
		}
	}
	return nil
}

func readSecret(name string) error {
	if _, ok := os.LookupEnv(name + "_FILE"); !ok {
		return nil
	}
	if _, both := os.LookupEnv(name); both {
		return fmt.Errorf("%s and %s_FILE are both set; use one", name, name)
	}
	value, err := assembly.SecretFromFile(name)
	if err != nil {
		return err
	}
	return os.Setenv(name, value)
}
