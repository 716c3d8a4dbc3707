package beside_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/cmd/octavo/beside"
	"github.com/octavo-books/octavo/test/must"
)

func TestCommandsTakeTheSettingsOfAServiceThatOctavoUpHasPutHere(t *testing.T) {
	for args, takes := range map[string]bool{
		"users list": true, "webhooks list": true, "migrate status": true, "backup x": true,
		"users list --data-dir=other": false, "serve": false, "migrate up": false, "webhooks send push": false, "demo": false, "": false,
	} {
		t.Run(args, func(t *testing.T) {
			here := t.TempDir()
			t.Chdir(here)
			t.Setenv("SERVICE_NAME", "") // which ends with its value of before
			must.Do(t, os.Unsetenv("SERVICE_NAME"))
			must.Do(t, os.WriteFile("octavo", nil, 0o700)) // the program of an archive
			must.Do(t, os.Mkdir("octavo.d", 0o700))
			must.Do(t, os.WriteFile(filepath.Join("octavo.d", "octavo.env"), []byte("SERVICE_NAME=Books\n"), 0o600))
			var notes strings.Builder
			must.Do(t, beside.Join(strings.Fields(args), &notes))
			if got := os.Getenv("SERVICE_NAME") == "Books"; got != takes || notes.String() != "" {
				t.Errorf("it takes them: %v, %s", got, notes.String())
			}
		})
	}
}

func TestSettingsThatAnotherUserMayHaveWrittenAreLeftOut(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a service has a user of its own on Linux")
	}
	t.Chdir(t.TempDir())
	t.Setenv("SERVICE_NAME", "")
	must.Do(t, os.Unsetenv("SERVICE_NAME"))
	must.Do(t, os.Mkdir("octavo", 0o700))
	file := filepath.Join("octavo", "octavo.env")
	must.Do(t, os.WriteFile(file, []byte("SERVICE_NAME=Books\n"), 0o600))
	must.Do(t, os.Chmod(file, 0o622))
	var notes strings.Builder
	must.Do(t, beside.Join([]string{"users", "list"}, &notes))
	if name, set := os.LookupEnv("SERVICE_NAME"); set || !strings.Contains(notes.String(), file) {
		t.Errorf("it takes %q and says %q", name, notes.String())
	}
}
