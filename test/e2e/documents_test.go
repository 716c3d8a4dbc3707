package e2e_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestEveryLinkBetweenDocumentsLeadsSomewhere(t *testing.T) {
	t.Parallel()
	const root = "../.."
	link := regexp.MustCompile(`\]\(([^)#:,]*)(#[^)]*)?\)`)
	links := 0
	for _, path := range documents(t, root) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			links++
			target := path
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(path), m[1])
			}
			if !leads(target, strings.TrimPrefix(m[2], "#")) {
				t.Errorf("%s: %s leads nowhere", path, m[0])
			}
		}
	}
	if links < 40 {
		t.Errorf("only %d links found", links)
	}
}

func TestEveryDocumentThatADeploymentFileMentionsExists(t *testing.T) {
	t.Parallel()
	const root = "../.."
	mention := regexp.MustCompile(`\bdocs/[\w/-]+\.md\b`)
	mentions := 0
	err := filepath.WalkDir(filepath.Join(root, "deploy"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, document := range mention.FindAllString(string(text), -1) {
			mentions++
			if !leads(filepath.Join(root, document), "") {
				t.Errorf("%s mentions %s, which does not exist", path, document)
			}
		}
		return err
	})
	if err != nil || mentions < 5 {
		t.Errorf("%d mentions found, %v", mentions, err)
	}
}

// documents are the Markdown files of the root folder and of docs.
func documents(t *testing.T, root string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// leads reports whether a file or folder exists and contains the anchor.
func leads(path, anchor string) bool {
	if anchor == "" {
		_, err := os.Stat(path)
		return err == nil
	}
	text, err := os.ReadFile(path)
	return err == nil && hasHeading(string(text), anchor)
}

// hasHeading reports whether a heading has the anchor that code hosts give it.
func hasHeading(text, anchor string) bool {
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		words := regexp.MustCompile(`[^\p{L}\p{N}\- _]`).ReplaceAllString(strings.ToLower(m[1]), "")
		if strings.ReplaceAll(words, " ", "-") == anchor {
			return true
		}
	}
	return false
}
