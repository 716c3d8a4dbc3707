package e2e

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shells are scripts that print the completions of "users im" and "serve --data-d" in each
// shell.
var shells = map[string]string{
	"bash": `source <(octavo completion bash)
		COMP_WORDS=(octavo users im); COMP_CWORD=2; _octavo; echo "${COMPREPLY[@]}"
		COMP_WORDS=(octavo users promote x --role = a); COMP_CWORD=6; _octavo; echo "${COMPREPLY[@]}"
		compopt() { :; }; COMP_WORDS=(octavo serve --data-d); COMP_CWORD=2; _octavo; echo "${COMPREPLY[@]}"`,
	"zsh": `compdef() { :; }; _describe() { print -l -- "${(@P)2}" }; _files() { print files }
		source <(octavo completion zsh)
		words=(octavo users im) CURRENT=3; _octavo
		words=(octavo users promote x --role=a) CURRENT=5; _octavo
		words=(octavo serve --data-d) CURRENT=3; _octavo`,
	"fish": `octavo completion fish | source
		complete -C "octavo users im"
		complete -C "octavo users promote x --role=a"
		complete -C "octavo serve --data-d"`,
}

func TestTheShellsCompleteCommandsValuesAndFlags(t *testing.T) {
	t.Parallel()
	octavo := binary(t)
	for shell, script := range shells {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(shell, " is not installed")
			}
			command := exec.CommandContext(t.Context(), path, "-c", script)
			command.Env = append(cleanEnvironment(), "PATH="+filepath.Dir(octavo)+":"+os.Getenv("PATH"), "HOME="+t.TempDir())
			out, err := command.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, word := range []string{"import", "admin", "--data-dir="} {
				if !strings.Contains(string(out), word) {
					t.Errorf("no %s in\n%s", word, out)
				}
			}
			if strings.Contains(string(out), "promote") {
				t.Errorf("too much:\n%s", out)
			}
		})
	}
}

// The name of the folder has every character that is special in a shell.
func TestTheProgramStartsWithTheFilesOfInit(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), `it's "5 $HOME" & a\b`)
	if out, code := Octavo(t, nil, "init", dir); code != 0 {
		t.Fatal(out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "sh", "-c", `set -a; . "$0/octavo.env"; exec "$1" serve --port 0`, dir, binary(t))
	command.Env, command.Dir = cleanEnvironment(), t.TempDir()
	reader, writer := io.Pipe()
	command.Stdout, command.Stderr = writer, writer
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	address := awaitAddress(t, io.TeeReader(reader, &log))
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	resp, err := http.Get(address + "/readyz")
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("/readyz answers %s", resp.Status)
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Errorf("%v\n%s", err, log.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "data", "signing-keys.pem")); err == nil {
		t.Error("it made keys though init had written some")
	}
	if _, err := os.Stat(filepath.Join(dir, "data", "octavo.db")); err != nil {
		t.Error(err)
	}
}

// awaitAddress waits until the program logs its address.
func awaitAddress(t *testing.T, log io.Reader) string {
	t.Helper()
	listening := regexp.MustCompile(`Listening on (http://\S+)`)
	var all strings.Builder
	for buffer := make([]byte, 4096); ; {
		n, err := log.Read(buffer)
		all.Write(buffer[:n])
		if found := listening.FindStringSubmatch(all.String()); found != nil {
			return found[1]
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, all.String())
		}
	}
}
