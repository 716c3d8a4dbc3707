package web

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// listed finds the rooms and their features in the list, and declared a feature in a file.
var (
	listed   = regexp.MustCompile(`(?s)\{"?(\w+)"?, \[\]feature\{(.*?)\}\}`)
	declared = regexp.MustCompile(`(?m)^func \(p \*Pages\) (\w+)\(\) (?:feature|\(f feature\))`)
)

func TestThePagesOfARoomAreInFilesThatBeginWithItsName(t *testing.T) {
	list, err := os.ReadFile("features.go")
	if err != nil {
		t.Fatal(err)
	}
	rooms := map[string]string{} // by feature
	for _, room := range listed.FindAllStringSubmatch(string(list), -1) {
		for feature := range strings.SplitSeq(room[2], ",") {
			name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(feature), "p."), "()")
			rooms[name] = strings.ToLower(room[1])
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(rooms) < 30 {
		t.Fatal(rooms, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		begins, _, _ := strings.Cut(file, "_")
		for _, feature := range declared.FindAllStringSubmatch(string(text), -1) {
			if room := rooms[feature[1]]; room != "" && room != begins {
				t.Errorf("%s brings %s of the room %s: name the file for it", file, feature[1], room)
			}
		}
	}
}
