package arch_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/octavo-books/octavo/test/gobuild"
)

// tags are a list of build tags that includes one of the program's.
var tags = regexp.MustCompile(`(?:cheaphash,)?(nomsgpack,nethttpomithttp2[a-z0-9,]*)`)

// A tag that is missing in one place makes the program larger there, and a test would not see what it
// leaves out.
func TestTheProgramIsBuiltWithTheSameTagsEverywhere(t *testing.T) {
	for _, name := range []string{
		"Taskfile.yml", ".goreleaser.yaml", ".ci/run", "deploy/rootfs.sh", "test/tools/test.sh",
		"test/tools/buildall.sh", "test/tools/extras.sh", "test/tools/fuzz.sh",
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		found := tags.FindAllSubmatch(text, -1)
		if len(found) == 0 {
			t.Errorf("%s names no tags", name)
		}
		for _, m := range found {
			if string(m[1]) != gobuild.Tags {
				t.Errorf("%s has the tags %s, test/gobuild %s", name, m[1], gobuild.Tags)
			}
		}
	}
}
