package assembly

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is set by the linker for a release; see Taskfile.yml.
var release = "dev"

// Version names the program, its release and what it was built with.
func Version() string {
	revision := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return fmt.Sprintf("octavo %s (revision %s, %s, %s/%s)", release, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
