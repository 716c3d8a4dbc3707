package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/providerfile"
	"github.com/octavo-books/octavo/cmd/config"
)

func TestInitWritesAFirstConfigurationThatOnlyItsOwnerCanRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	out, errs, code := octavo(t, nil, "init", dir)
	if code != 0 || errs != "" || !strings.Contains(out, "octavo serve") {
		t.Fatalf("code %d, %q, %q", code, out, errs)
	}
	ownersAlone(t, dir)
	env, err := os.ReadFile(filepath.Join(dir, "octavo.env"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"OCTAVO_ENV=development", "#BASE_URL=", "#SMTP_URL=", "DATA_DIR=", "PRIVATE_KEY_FILE=" + dir, "WEBHOOK_SECRET=", "#OIDC_PROVIDERS=", "#WEBHOOK_SOURCES=", "#WEBHOOK_RULES="} {
		if !strings.Contains(string(env), "\n"+name) {
			t.Errorf("no %s", name)
		}
	}
	for line := range strings.Lines(string(env)) { // systemd and containers do not support comments after a value
		if strings.TrimSpace(line) != "" && line[0] != '#' && strings.Contains(line, "#") {
			t.Errorf("a comment behind a value: %q", line)
		}
	}
	settings := map[string]string{"WEBHOOK_SOURCES": filepath.Join(dir, "webhook-sources.yaml"), "WEBHOOK_RULES": filepath.Join(dir, "webhook-rules.yaml")}
	if out, errs, code := octavo(t, settings, "doctor", "--port=0", "webhooks"); code != 0 {
		t.Errorf("the sources and rules: code %d, %q, %q", code, out, errs)
	}
	uncomment(t, settings["WEBHOOK_SOURCES"])
	write(t, filepath.Join(dir, "shop.secret"), "a secret of the shop\n")
	if out, errs, code := octavo(t, settings, "doctor", "--port=0", "webhooks"); code != 0 || !strings.Contains(out, "3: ci, shop, printer") {
		t.Errorf("the example of sources: code %d, %q, %q", code, out, errs)
	}
	providers := filepath.Join(dir, "oidc-providers.yaml")
	uncomment(t, providers)
	if all, err := providerfile.Load(providers); err != nil || len(all) != 4 {
		t.Errorf("the example of providers: %+v, %v", all, err)
	}
}

func TestInitNamesEverySettingAndEveryLineOfItsFileCanBeUncommented(t *testing.T) {
	dir := t.TempDir()
	if _, errs, code := octavo(t, nil, "init", dir); code != 0 {
		t.Fatal(errs)
	}
	path := filepath.Join(dir, "octavo.env")
	env, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(env), "\n")
	for _, name := range config.Names() {
		n := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(strings.TrimPrefix(line, "#"), name+"=") })
		if n < 0 {
			t.Errorf("no %s", name)
			continue
		}
		if !strings.HasPrefix(lines[n-1], "# ") {
			t.Errorf("no comment on %s, but %q", name, lines[n-1])
		}
	}
	for n, line := range lines {
		name, _, assigned := strings.Cut(strings.TrimPrefix(line, "#"), "=")
		if !slices.Contains(config.Names(), name) {
			name = strings.TrimSuffix(name, "_FILE")
		}
		if line != "" && !strings.HasPrefix(line, "# ") && line != "#" && (!assigned || !slices.Contains(config.Names(), name)) {
			t.Errorf("line %d is neither a comment nor a setting: %q", n+1, line)
		}
	}
}

// uncomment makes the example in a file of comments count.
func uncomment(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "\n#\n")
	write(t, path, strings.ReplaceAll("\n"+example, "\n#", "\n"))
}

func TestInitNeverOverwritesAndNamesTheExistingFiles(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "private.pem")
	write(t, mine, "mine")
	link := filepath.Join(dir, "octavo.env")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Fatal(err)
	}
	out, errs, code := octavo(t, nil, "init", dir)
	if code != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, mine) || !strings.Contains(errs, link) {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	if content, err := os.ReadFile(mine); err != nil || string(content) != "mine" {
		t.Errorf("%q, %v", content, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestInitUsesTheDataFolderOfTheSettings(t *testing.T) {
	dir := t.TempDir()
	if _, errs, code := octavo(t, map[string]string{"DATA_DIR": "/var/lib/octavo"}, "init", dir); code != 0 {
		t.Fatal(errs)
	}
	env, err := os.ReadFile(filepath.Join(dir, "octavo.env"))
	if err != nil || !strings.Contains(string(env), "\nDATA_DIR=/var/lib/octavo\n") {
		t.Errorf("%v\n%s", err, env)
	}
}
