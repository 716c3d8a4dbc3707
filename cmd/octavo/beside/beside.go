// Package beside gives commands that run beside the service of this machine its settings and its user.
package beside

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/cmd/envfile"
)

// files are where octavo up and the packages put the settings of a service.
var files = []string{"/etc/octavo/octavo.env", "octavo/octavo.env", "octavo.d/octavo.env"}

// commands act on the data of a service that runs. The others make data, or need none.
var commands = []string{
	"backup", "clients", "doctor", "ledger", "migrate status", "resources", "status", "users",
	"webhooks list", "webhooks redeliver", "webhooks rules", "webhooks show", "webhooks tail", "work",
}

// asRoot are those of them that stay root's: they say what the user of the service may not read, or ask the server.
var asRoot = []string{"doctor", "status"}

// Join puts the settings of this machine's service into the environment if the command needs them and nobody has chosen
// others, by variables, by flags or by a folder of data here. Root then becomes the owner of the data, whom files that
// the command writes must belong to.
func Join(args []string, notes io.Writer) error {
	if len(args) == 0 || !slices.Contains(commands, args[0]) && !slices.Contains(commands, strings.Join(args[:min(2, len(args))], " ")) {
		return nil
	}
	if _, err := os.Lstat("data"); args[0] == "status" || errors.Is(err, fs.ErrNotExist) && !choosesData(args) {
		if err := envfile.LoadFirst(trusted(notes)...); err != nil {
			fmt.Fprintf(notes, "octavo: %v. If it is meant: sudo octavo %s\n", err, args[0])
		}
	}
	if dir := os.Getenv("DATA_DIR"); dir != "" && !slices.Contains(asRoot, args[0]) {
		if err := becomeOwner(dir); err != nil {
			return fmt.Errorf("become the user that %s belongs to: %w", dir, err)
		}
	}
	return nil
}

// trusted returns the files without those that somebody else than root and this user may have written: in a folder that
// others write to, they would choose what root's commands do.
func trusted(notes io.Writer) []string {
	return slices.DeleteFunc(slices.Clone(files), func(path string) bool {
		info, err := os.Stat(path)
		if err != nil || isOurs(info) {
			return false
		}
		fmt.Fprintf(notes, "octavo: %s is left out, because another user may have written it\n", path)
		return true
	})
}

// choosesData reports whether flags say which data the command is about.
func choosesData(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return strings.HasPrefix(arg, "--data-dir") || strings.HasPrefix(arg, "--database-url")
	})
}
