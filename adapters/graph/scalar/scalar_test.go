package scalar_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/graph/scalar"
	"github.com/octavo-books/octavo/domain/user"
)

func TestEnumsAreReadAsTheyAreWritten(t *testing.T) {
	for _, role := range []user.Role{user.Regular, user.Admin, user.Owner} {
		var b strings.Builder
		scalar.MarshalRole(role).MarshalGQL(&b)
		if got, err := scalar.UnmarshalRole(strings.Trim(b.String(), `"`)); err != nil || got != role {
			t.Errorf("role %d came back as %d, %v", role, got, err)
		}
	}
	for _, lang := range []user.Lang{user.EN, user.FR} {
		var b strings.Builder
		scalar.MarshalLang(lang).MarshalGQL(&b)
		if got, err := scalar.UnmarshalLang(strings.Trim(b.String(), `"`)); err != nil || got != lang {
			t.Errorf("language %s came back as %s, %v", lang, got, err)
		}
	}
}

func TestAnyJSONValueKeepsItsDigits(t *testing.T) {
	for in, out := range map[any]string{
		"a": `"a"`, nil: "null", true: "true", json.Number("12345678901234567890.10"): "12345678901234567890.10", int64(7): "7",
	} {
		if got, err := scalar.UnmarshalJSON(in); err != nil || string(got) != out {
			t.Errorf("%v is read as %s, %v", in, got, err)
		}
	}
	got, err := scalar.UnmarshalJSON(map[string]any{"b": []any{json.Number("1"), "x"}, "a": nil})
	if err != nil || string(got) != `{"a":null,"b":[1,"x"]}` {
		t.Errorf("an object is read as %s, %v", got, err)
	}
	var b strings.Builder
	scalar.MarshalJSON(got).MarshalGQL(&b)
	if b.String() != string(got) {
		t.Errorf("%s is written as %s", got, b.String())
	}
	if _, err := scalar.UnmarshalJSON(func() {}); err == nil {
		t.Error("a function is accepted as a JSON value")
	}
}

func TestOtherValuesAreRefusedAsEnumsAndStrings(t *testing.T) {
	for _, v := range []any{"owner", "", "2", 2, int64(2), json.Number("2"), nil, true, []any{"OWNER"}} {
		if _, err := scalar.UnmarshalRole(v); err == nil {
			t.Errorf("%#v is accepted as a role", v)
		}
		if _, err := scalar.UnmarshalLang(v); err == nil {
			t.Errorf("%#v is accepted as a language", v)
		}
	}
	for _, v := range []any{5, json.Number("5"), true, nil, 1.5} {
		if _, err := scalar.UnmarshalString(v); err == nil {
			t.Errorf("%#v is accepted as a string", v)
		}
	}
	if s, err := scalar.UnmarshalString("5"); s != "5" || err != nil {
		t.Errorf("got %q, %v; want \"5\"", s, err)
	}
}

func TestAValueWithoutANameIsNull(t *testing.T) {
	var b strings.Builder
	scalar.MarshalRole(99).MarshalGQL(&b)
	if b.String() != "null" {
		t.Errorf("got %s, want null", b.String())
	}
}
