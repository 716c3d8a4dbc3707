package arch_test

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The test reads files and not packages, to include those of other systems.
func TestNoFileImportsUnsafeOrC(t *testing.T) {
	files := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		files++
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range parsed.Imports {
			if i.Path.Value == `"unsafe"` || i.Path.Value == `"C"` {
				t.Errorf("%s imports %s", path, i.Path.Value)
			}
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Fatalf("%d files, %v", files, err)
	}
}

// modernc.org/sqlite is translated for one version of libc and documents that no other
// may be used with it.
func TestLibcIsTheVersionThatTheDriverOfSQLiteNames(t *testing.T) {
	driver := module(t, "modernc.org/sqlite")
	var named struct {
		Require []struct{ Path, Version string }
	}
	run(t, &named, "mod", "edit", "-json", driver.GoMod)
	ours := module(t, "modernc.org/libc").Version
	for _, r := range named.Require {
		if r.Path != "modernc.org/libc" {
			continue
		}
		if r.Version != ours {
			t.Errorf("libc is %s, sqlite %s wants %s", ours, driver.Version, r.Version)
		}
		return
	}
	t.Errorf("sqlite %s names no libc", driver.Version)
}

type goModule struct{ Version, GoMod string }

func module(t *testing.T, path string) (m goModule) {
	t.Helper()
	run(t, &m, "list", "-m", "-json", path)
	return m
}

// run decodes the output of a go command. GOPROXY=off, because all modules are already on
// this machine.
func run(t *testing.T, into any, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", args...)
	command.Env = append(command.Environ(), "GOPROXY=off")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatal(err)
	}
}
