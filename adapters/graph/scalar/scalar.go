// Package scalar marshals the scalars and enums of the schema. It is stricter than gqlgen,
// which accepts a number for a string, and in a variable a misspelled enum value as the
// zero value, here the role USER.
package scalar

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"github.com/octavo-books/octavo/domain/user"
)

var roles = map[string]user.Role{"USER": user.Regular, "ADMIN": user.Admin, "OWNER": user.Owner}

// MarshalRole writes a role.
func MarshalRole(r user.Role) graphql.Marshaler { return marshal(roles, r) }

// UnmarshalRole reads a role.
func UnmarshalRole(v any) (user.Role, error) { return unmarshal("Role", roles, v) }

var languages = map[string]user.Lang{"EN": user.EN, "FR": user.FR}

// MarshalLang writes a language.
func MarshalLang(l user.Lang) graphql.Marshaler { return marshal(languages, l) }

// UnmarshalLang reads a language.
func UnmarshalLang(v any) (user.Lang, error) { return unmarshal("Lang", languages, v) }

// MarshalString writes a string.
func MarshalString(s string) graphql.Marshaler { return graphql.MarshalString(s) }

// UnmarshalString reads a string. It refuses every other type.
func UnmarshalString(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return "", errors.New("a String must be a string")
}

// MarshalJSON writes a JSON value.
func MarshalJSON(v json.RawMessage) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(v) })
}

// UnmarshalJSON reads any JSON value; numbers keep all their digits.
func UnmarshalJSON(v any) (json.RawMessage, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, errors.New("not a JSON value")
	}
	return text, nil
}

func marshal[T comparable](names map[string]T, v T) graphql.Marshaler {
	for name, value := range names {
		if value == v {
			return graphql.MarshalString(name)
		}
	}
	return graphql.Null
}

func unmarshal[T any](enum string, names map[string]T, v any) (T, error) {
	name, _ := v.(string)
	value, ok := names[name]
	if !ok {
		return value, fmt.Errorf("not a valid %s", enum)
	}
	return value, nil
}
