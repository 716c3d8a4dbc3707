package config

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the linker for a release; see deploy/Dockerfile.
var version = "dev"

// Version is the release of this program.
func Version() string { return version }

// VersionLine names the program, its release and what it was built with.
func VersionLine() string {
	revision := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return fmt.Sprintf("octavo %s (revision %s, %s, %s/%s)", version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
