package oidcclient

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/octavo-books/octavo/test/must"
)

// A claim counts by its exact name and type alone: nothing else may verify an address.
func FuzzClaims(f *testing.F) {
	for _, seed := range []string{
		`{"email":"ann@example.edu","email_verified":true,"amr":["mfa"]}`, `{"Email":"x","EMAIL_VERIFIED":true,"AMR":["mfa"]}`, `{"email_verified":"true"}`,
		`{"email_verified":1,"email":["a"],"amr":"mfa"}`, `{"email":null,"email_verified":null,"amr":null}`, `{"email":"\ud800","amr":[1]}`, `[]`, `null`, `{}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var all claimSet
		if json.Unmarshal(body, &all) != nil {
			return
		}
		for _, name := range []string{"email", "name", "azp", "tid", "none"} {
			text := all.text(name)
			if _, has := all[name]; text != "" && !has || !utf8.ValidString(text) {
				t.Errorf("%s: %s is %q", body, name, text)
			}
		}
		var exact map[string]any
		must.Do(t, json.Unmarshal(body, &exact))
		if all.flag("email_verified") && exact["email_verified"] != true && exact["email_verified"] != "true" {
			t.Errorf("%s verifies an address", body)
		}
		for _, one := range all.list("amr") {
			if _, is := exact["amr"].([]any); !is {
				t.Errorf("%s has the factor %q", body, one)
			}
		}
	})
}
