// Package gobuild compiles programs for tests and benchmarks. All have the flags of
// `go tool task build`, so that they share most of what Go compiles.
package gobuild

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
)

// Tags are the build tags of a released program; Taskfile.yml says why.
const Tags = "nomsgpack,nethttpomithttp2,nopgxregisterdefaulttypes"

// Program compiles a program to the file output. dir is the folder whose go.mod applies, ""
// for the working directory; args are the other arguments of go build, the package last.
func Program(ctx context.Context, dir, output string, args ...string) error {
	build := []string{"build", "-trimpath", "-tags", Tags, "-ldflags=-s -w", "-o", output}
	cmd := exec.CommandContext(ctx, "go", append(build, args...)...)
	cmd.Dir = dir
	if !slices.Contains(args, "-race") { // which needs cgo
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, out)
	}
	return nil
}
