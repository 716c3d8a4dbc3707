package sent_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/sent"
)

func TestARequestIsShownWithoutItsSecrets(t *testing.T) {
	for body, want := range map[any]string{
		`{"email":"ann@x.edu","password":"swordfish","lang":"en"}`:                      `{"email":"ann@x.edu","password":…,"lang":"en"}`,
		`{"newPassword": "swordfish", "refreshToken":"swordfish"}`:                      `{"newPassword": …, "refreshToken":…}`,
		`{"query":"mutation { signIn(email: \"a\", password: \"swordfish\") { id } }"}`: `{"query":"mutation { signIn(email: \"a\", password: …) { id } }"}`,
		"email=a%40x.edu&password=swordfish&next=%2F":                                   "email=a%40x.edu&password=…&next=%2F",
		"": "",
	} {
		if got := sent.Request("POST", "/x", body); got != strings.TrimSpace("POST /x "+want) {
			t.Errorf("%v is shown as %s", body, got)
		}
	}
	if got := sent.Request("POST", "/x", map[string]string{"secret": "swordfish"}); got != `POST /x {"secret":…}` {
		t.Errorf("an object is shown as %s", got)
	}
	if got := sent.Request("GET", "/x", nil); got != "GET /x" {
		t.Errorf("no body is shown as %s", got)
	}
	if got := sent.Request("POST", "/x", strings.Repeat("é", 5000)); len(got) > 1100 {
		t.Errorf("a long body is shown as %d bytes", len(got))
	}
}
