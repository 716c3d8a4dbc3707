package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
)

const outsider = `package main

import (
	"context"
	"log"
	"net/http"

	hooks "github.com/octavo-books/octavo/adapters/webhookhttp"
)

func main() {
	r := hooks.Must("secret")
	hooks.HandleTyped(r, hooks.EventPush, func(_ context.Context, e hooks.TypedEvent[hooks.PushPayload]) error {
		log.Print(e.Payload.Ref)
		return nil
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:3000", hooks.Handler(r, hooks.Options{})))
}
`

// Another module that imports the library builds without the network and depends
// only on the standard library and packages of this module.
func TestAModuleThatImportsTheLibraryNeedsNoThirdPartyPackage(t *testing.T) {
	deep.NotShort(t, "compiles another module")
	repository := must.Get(filepath.Abs("../.."))(t)
	folder := t.TempDir()
	sums := must.Get(os.ReadFile(filepath.Join(repository, "go.sum")))(t)
	for name, text := range map[string]string{
		"main.go": outsider,
		"go.sum":  string(sums),
		"go.mod": fmt.Sprintf("module outsider.example/hooks\n\ngo 1.26.0\n\nrequire github.com/octavo-books/octavo v0.0.0\n\nreplace github.com/octavo-books/octavo => %s\n",
			repository),
	} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	run(t, folder, "build", "-o", filepath.Join(folder, "hooks"), ".")
	for pkg := range strings.FieldsSeq(run(t, folder, "list", "-deps", ".")) {
		first, _, _ := strings.Cut(pkg, "/")
		if strings.Contains(first, ".") && !strings.HasPrefix(pkg, "github.com/octavo-books/octavo/") && first != "outsider.example" {
			t.Errorf("the module depends on %s, want only packages of Go and of Octavo", pkg)
		}
	}
}

func run(t *testing.T, folder string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(ctx(t), "go", args...)
	command.Dir = folder
	command.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	var problems strings.Builder
	command.Stderr = &problems
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, problems.String())
	}
	return string(out)
}
