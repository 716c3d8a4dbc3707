package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-books/octavo/test/e2e"
)

type composeFile struct {
	Services map[string]struct {
		Environment map[string]string
		Ports       []string
		ReadOnly    bool `yaml:"read_only"`
	}
}

var assigned = regexp.MustCompile(`\b([A-Z][A-Z0-9_]{2,})=`)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// settingsOf are the names that octavo help settings lists.
func settingsOf(t *testing.T) []string {
	t.Helper()
	help, code := e2e.Octavo(t, nil, "help", "settings")
	if code != 0 {
		t.Fatalf("help settings: %d", code)
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^  ([A-Z][A-Z0-9_]+)  --`).FindAllStringSubmatch(help, -1) {
		names = append(names, m[1], m[1]+"_FILE")
	}
	return names
}

func TestDeploymentFilesNameExistingSettings(t *testing.T) {
	t.Parallel()
	known := settingsOf(t)
	var compose composeFile
	if err := yaml.Unmarshal([]byte(read(t, "compose.yaml")), &compose); err != nil {
		t.Fatal(err)
	}
	var used []string
	for _, service := range []string{"migrate", "octavo", "mailer"} {
		s, ok := compose.Services[service]
		if !ok || !s.ReadOnly || s.Environment["HOST"] != "0.0.0.0" {
			t.Errorf("service %s: %+v", service, s)
		}
		for name := range s.Environment {
			used = append(used, name)
		}
	}
	var production composeFile
	if err := yaml.Unmarshal([]byte(read(t, "compose.production.yaml")), &production); err != nil {
		t.Fatal(err)
	}
	if s := production.Services["octavo"]; !s.ReadOnly || s.Environment["OCTAVO_ENV"] != "production" || s.Environment["HTTPS"] != "auto" || !slices.Equal(s.Ports, []string{"80:80", "443:443"}) {
		t.Errorf("in production: %+v", s)
	}
	for name := range production.Services["octavo"].Environment {
		used = append(used, name)
	}
	if ports := compose.Services["octavo"].Ports; !slices.Equal(ports, []string{"127.0.0.1:3000:3000"}) {
		t.Errorf("ports: %v", ports)
	}
	for _, line := range strings.Split(read(t, "Dockerfile")+read(t, "octavo.service"), "\n") {
		if strings.HasPrefix(line, "ENV ") || strings.HasPrefix(line, "Environment=") || strings.HasPrefix(line, "ExecStart=/usr/bin/env") {
			line = strings.TrimPrefix(line, "Environment=")
			for _, m := range assigned.FindAllStringSubmatch(line, -1) {
				used = append(used, m[1])
			}
		}
	}
	for _, name := range used {
		if !slices.Contains(known, name) {
			t.Errorf("%s is not a setting", name)
		}
	}
}

// A tag can be moved to other bytes, a digest cannot.
func TestActionsAndBaseImagesArePinnedByDigest(t *testing.T) {
	t.Parallel()
	used := regexp.MustCompile(`(?m)^\s*(?:- )?uses: (\S+)`)
	workflows, err := filepath.Glob(filepath.Join("..", "..", ".github", "workflows", "*.yml"))
	if err != nil || len(workflows) == 0 {
		t.Fatal(workflows, err)
	}
	for _, name := range workflows {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range used.FindAllStringSubmatch(string(text), -1) {
			if !regexp.MustCompile(`@[0-9a-f]{40}$`).MatchString(m[1]) {
				t.Errorf("%s uses %s", name, m[1])
			}
		}
	}
	image := regexp.MustCompile(`(?m)^(?:FROM (?:--platform=\S+ )?|\s*image: )(\S+)`)
	for _, m := range image.FindAllStringSubmatch(read(t, "Dockerfile")+read(t, "compose.yaml"), -1) {
		if m[1] != "scratch" && m[1] != "octavo" && !strings.Contains(m[1], "@sha256:") {
			t.Errorf("%s is not pinned", m[1])
		}
	}
}
