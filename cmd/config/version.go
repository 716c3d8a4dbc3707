package config

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// The linker sets these for a release, as in
// -X github.com/octavo-books/octavo/cmd/config.version=1.2.3.
var version, commit, date string

// Version is the release of this program, or dev.
func Version() string { return build().version }

// BuildDay is the day of the commit that this program was built from, as 2006-01-02, or
// empty if it is unknown.
func BuildDay() string {
	day, _, _ := strings.Cut(build().date, "T")
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return ""
	}
	return day
}

// VersionLine names the program, its release, and what and when it was built from.
func VersionLine() string {
	b := build()
	return fmt.Sprintf("octavo %s (commit %s, %s, %s, %s/%s)", b.version, b.commit, b.date, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

type buildInfo struct{ version, commit, date string }

// build prefers what the linker set to what the go command recorded: for `go install`
// that is the version of the module, for a build in a clone the commit and its time.
func build() buildInfo {
	b := buildInfo{version, commit, date}
	if info, ok := debug.ReadBuildInfo(); ok {
		b = b.orFrom(info)
	}
	return buildInfo{first(b.version, "dev"), shortened(first(b.commit, "unknown")), first(b.date, "date unknown")}
}

func (b buildInfo) orFrom(info *debug.BuildInfo) buildInfo {
	recorded := map[string]string{}
	for _, s := range info.Settings {
		recorded[s.Key] = s.Value
	}
	if v := info.Main.Version; v != "(devel)" {
		b.version = first(b.version, strings.TrimPrefix(v, "v"))
	}
	b.commit = first(b.commit, recorded["vcs.revision"])
	b.date = first(b.date, recorded["vcs.time"])
	return b
}

// first returns a unless it is empty.
func first(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

func shortened(commit string) string { return commit[:min(12, len(commit))] }
