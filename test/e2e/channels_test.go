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

// release is a folder with made-up files of a release and their checksums.
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
	return dir, sums
}

func TestPackageManagersGetTheChecksumsOfARelease(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"dpkg-deb", "dpkg-scanpackages", "apt-get"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	dir, sums := release(t)
	control := "Package: octavo\nVersion: 0.1.0\nArchitecture: all\nMaintainer: nobody <nobody@example.edu>\nDescription: for a test\n"
	must.Do(t, os.MkdirAll(filepath.Join(dir, "package", "DEBIAN"), 0o755))
	write(t, filepath.Join(dir, "package", "DEBIAN", "control"), control)
	command(t, "dpkg-deb", "--root-owner-group", "--build", filepath.Join(dir, "package"), filepath.Join(dir, "octavo_0.1.0_amd64.deb"))
	command(t, "sh", filepath.Join("..", "tools", "channels.sh"), "0.1.0", dir)

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
	if shown := fromApt(t, filepath.Join(dir, "apt")); !strings.Contains(shown, "Version: 0.1.0") {
		t.Errorf("apt finds %s", shown)
	}
}

// fromApt is what apt finds in a repository, without looking at or changing those of this system.
func fromApt(t *testing.T, repository string) string {
	t.Helper()
	state := t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(state, "lists", "partial"), 0o755))
	write(t, filepath.Join(state, "list"), "deb [trusted=yes] file:"+repository+" ./\n")
	options := []string{
		"-o", "Dir::Etc::SourceList=" + filepath.Join(state, "list"), "-o", "Dir::Etc::SourceParts=-", "-o", "Dir::State::Lists=" + filepath.Join(state, "lists"),
		"-o", "Dir::Cache=" + state, "-o", "APT::Sandbox::User=root",
	}
	out, err := exec.CommandContext(t.Context(), "apt-get", append(options, "update")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err = exec.CommandContext(t.Context(), "apt-cache", append(options, "show", "octavo")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}
