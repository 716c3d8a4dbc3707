package e2e_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"go.yaml.in/yaml/v3"
)

func TestThePlatformFilesNameOnlySettingsCommandsAndPathsThatExist(t *testing.T) {
	t.Parallel()
	known := settingsOf(t)
	kubernetes := read(t, "kubernetes/migrate.yaml") + read(t, "kubernetes/web.yaml") + read(t, "kubernetes/mailer.yaml")
	fly, render := read(t, "fly.toml"), read(t, "render.yaml")

	var blueprint struct {
		Services []struct {
			EnvVars []struct{ Key string } `yaml:"envVars"`
		}
	}
	if err := yaml.Unmarshal([]byte(render), &blueprint); err != nil {
		t.Fatal(err)
	}
	names := append(found(`(?m)^([A-Z_]+)=`, read(t, "kubernetes/settings.env")), found(`(?m)^ +([A-Z_]+) =`, fly)...)
	for _, v := range blueprint.Services[0].EnvVars {
		names = append(names, v.Key)
	}
	if len(names) < 15 {
		t.Fatalf("too few names: %v", names)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			t.Errorf("%s is not a setting", name)
		}
	}

	for _, path := range found(`(?m)(?:path: |path = "|healthCheckPath: )(/\w+)`, kubernetes+fly+render) {
		if !slices.Contains([]string{"/healthz", "/readyz", "/metrics"}, path) {
			t.Errorf("%s is not a path for probes", path)
		}
	}
	for _, command := range slices.Concat(found(`args: \[(.*)\]`, kubernetes), found(`release_command = "(.*)"`, fly), found(`preDeployCommand: /octavo (.*)`, render)) {
		words := strings.Fields(strings.ReplaceAll(command, ",", ""))
		if len(words) > 1 && words[0] == "serve" {
			words = words[:1] // a component, as in serve mailer
		}
		if out, code := e2e.Octavo(t, nil, append([]string{"help"}, words...)...); code != 0 {
			t.Errorf("%s: %s", command, out)
		}
	}
}

// found returns the first groups of all matches.
func found(pattern, text string) (all []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}
