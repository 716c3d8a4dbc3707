package e2e_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/must"
)

func needPackageTools(t *testing.T, more ...string) {
	t.Helper()
	for _, tool := range append([]string{"dpkg-deb", "dpkg-scanpackages", "apt-get"}, more...) {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
}

// release is a folder with made-up files of a release and their checksums, and a small package.
func release(t *testing.T) (dir string, sums map[string]string) {
	t.Helper()
	dir, sums = t.TempDir(), map[string]string{}
	var list strings.Builder
	for _, name := range []string{"linux_amd64.tar.gz", "linux_arm64.tar.gz", "darwin_amd64.tar.gz", "darwin_arm64.tar.gz", "windows_amd64.zip", "windows_arm64.zip"} {
		name = "octavo_0.1.0_" + name
		write(t, filepath.Join(dir, name), name)
		digest := sha256.Sum256([]byte(name))
		sums[name] = hex.EncodeToString(digest[:])
		list.WriteString(sums[name] + "  " + name + "\n")
	}
	write(t, filepath.Join(dir, "checksums.txt"), list.String())
	write(t, filepath.Join(dir, "metadata.json"), `{"project_name":"octavo","version":"0.1.0"}`)
	script := "#!/bin/sh\necho octavo 0.1.0\n"
	control := "Package: octavo\nVersion: 0.1.0\nArchitecture: all\nMaintainer: nobody <nobody@example.edu>\nDescription: for a test\n"
	must.Do(t, os.MkdirAll(filepath.Join(dir, "package", "DEBIAN"), 0o755))
	must.Do(t, os.MkdirAll(filepath.Join(dir, "package", "usr", "bin"), 0o755))
	must.Do(t, os.WriteFile(filepath.Join(dir, "package", "usr", "bin", "octavo"), []byte(script), 0o755))
	write(t, filepath.Join(dir, "package", "DEBIAN", "control"), control)
	command(t, "dpkg-deb", "--root-owner-group", "--build", filepath.Join(dir, "package"), filepath.Join(dir, "octavo_0.1.0_amd64.deb"))
	return dir, sums
}

// channels adds what package managers need to a release.
func channels(t *testing.T, dir string) {
	t.Helper()
	if out, err := runChannels(t, dir); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func runChannels(t *testing.T, dir string) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", filepath.Join("..", "tools", "channels.sh"), dir)
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1795737600")
	return cmd.CombinedOutput()
}

func TestPackageManagersGetTheChecksumsOfARelease(t *testing.T) {
	t.Parallel()
	needPackageTools(t)
	dir, sums := release(t)
	channels(t, dir)

	formula := string(must.Get(os.ReadFile(filepath.Join(dir, "octavo.rb")))(t))
	var manifest struct {
		Version      string
		Architecture map[string]struct{ URL, Hash string }
	}
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile(filepath.Join(dir, "octavo.json")))(t), &manifest))
	for name, sum := range sums {
		if !strings.HasSuffix(name, ".zip") && !strings.Contains(formula, "/v0.1.0/"+name+"\"\n      sha256 \""+sum+`"`) {
			t.Errorf("the formula lacks %s: %s", name, formula)
		}
	}
	if windows := manifest.Architecture["64bit"]; manifest.Version != "0.1.0" || windows.Hash != sums["octavo_0.1.0_windows_amd64.zip"] || !strings.HasSuffix(windows.URL, "/v0.1.0/octavo_0.1.0_windows_amd64.zip") {
		t.Errorf("the manifest is %+v", manifest)
	}
}

// The signature and the provenance of a release are those of its checksums.
func TestTheChecksumsOfAReleaseCoverWhatPackageManagersGet(t *testing.T) {
	t.Parallel()
	needPackageTools(t)
	dir, _ := release(t)
	channels(t, dir)
	first := string(must.Get(os.ReadFile(filepath.Join(dir, "checksums.txt")))(t))
	channels(t, dir)
	if again := string(must.Get(os.ReadFile(filepath.Join(dir, "checksums.txt")))(t)); again != first {
		t.Errorf("the same release has other checksums the second time:\n%s%s", first, again)
	}
	for _, name := range []string{"octavo.rb", "octavo.json", "apt.tar.gz"} {
		digest := sha256.Sum256(must.Get(os.ReadFile(filepath.Join(dir, name)))(t))
		if strings.Count(first, hex.EncodeToString(digest[:])+"  "+name+"\n") != 1 {
			t.Errorf("checksums.txt has not the sum of %s once:\n%s", name, first)
		}
	}
}

func TestAReleaseThatLacksAnArchiveIsNotGivenToPackageManagers(t *testing.T) {
	t.Parallel()
	needPackageTools(t)
	dir, _ := release(t)
	all := string(must.Get(os.ReadFile(filepath.Join(dir, "checksums.txt")))(t))
	without, _, _ := strings.Cut(all, "\n")
	write(t, filepath.Join(dir, "checksums.txt"), strings.Replace(all, without+"\n", "", 1))
	if out, err := runChannels(t, dir); err == nil || !strings.Contains(string(out), "checksums.txt has no octavo_0.1.0_linux_amd64.tar.gz") {
		t.Errorf("%v: %s", err, out)
	}
}
