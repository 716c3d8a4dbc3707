package arch_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// offerNames match what only the example of CONTRIBUTING.md is called in Go.
var offerNames = regexp.MustCompile(`domain/offer"|package offer\b|\boffer\.[A-Z]|\bOffer(Made|Answered|Ended|Accepted|s)\b|lapseOffer|offerPages|(Add|List|Update|End|Delete)Offers?(By)?\(`)

// A feature that somebody has to announce in many places is one that somebody forgets in one of them.
func TestAFeatureIsNamedInFewFiles(t *testing.T) {
	var found []string
	for _, folder := range []string{"adapters", "application", "cmd", "domain"} {
		err := filepath.WalkDir(filepath.Join("../..", folder), func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "gen.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if offerNames.Match(text) {
				found = append(found, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Contains(found, "../../domain/offer/offer.go") || len(found) > 16 {
		t.Errorf("offers are named in %d files, want at most 16: %s", len(found), strings.Join(found, "\n"))
	}
}
