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

func TestOtherValuesAreRefusedAsEnumsAndStrings(t *testing.T) {
	for _, v := range []any{"owner", "", "2", 2, int64(2), json.Number("2"), nil, true, []any{"OWNER"}} {
		if _, err := scalar.UnmarshalRole(v); err == nil {
			t.Errorf("%#v passed for a role", v)
		}
		if _, err := scalar.UnmarshalLang(v); err == nil {
			t.Errorf("%#v passed for a language", v)
		}
	}
	for _, v := range []any{5, json.Number("5"), true, nil, 1.5} {
		if _, err := scalar.UnmarshalString(v); err == nil {
			t.Errorf("%#v passed for a string", v)
		}
	}
	if s, err := scalar.UnmarshalString("5"); s != "5" || err != nil {
		t.Errorf("got %q, %v", s, err)
	}
}

func TestAValueWithoutANameIsNull(t *testing.T) {
	var b strings.Builder
	scalar.MarshalRole(99).MarshalGQL(&b)
	if b.String() != "null" {
		t.Errorf("got %s", b.String())
	}
}
