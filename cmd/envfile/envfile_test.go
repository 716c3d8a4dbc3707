package envfile_test

import (
	"testing"

	"github.com/octavo-books/octavo/cmd/envfile"
)

func TestAnEditedFileHasTheNewValuesAndEverythingElse(t *testing.T) {
	text := "# Settings\nPORT=3000\n\n# The sender.\n#MAIL_FROM=x\nSECRET='a b'"
	hard := "a\"b`c$d\\e f"
	for name, value := range map[string]string{"PORT": "4000", "MAIL_FROM": "Octavo <books@example.edu>", "DOMAIN": hard} {
		text = envfile.Set(text, name, value)
		text = envfile.Set(text, name, value) // again
	}
	if want := "# Settings\nPORT=4000\n\n# The sender.\nMAIL_FROM=\"Octavo <books@example.edu>\"\nSECRET='a b'\nDOMAIN="; len(text) < len(want) || text[:len(want)] != want {
		t.Errorf("the file is %s", text)
	}
	got := envfile.Parse(text)
	if len(got) != 4 || got["DOMAIN"] != hard || got["SECRET"] != "a b" || got["MAIL_FROM"] != "Octavo <books@example.edu>" {
		t.Errorf("read %q", got)
	}
}
