package scimhttp

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/user"
)

const (
	maxOperations = 100
	maxPath       = 200
)

// patchRequest is the body of PATCH (RFC 7644, section 3.5.2).
type patchRequest struct {
	Operations []operation `json:"Operations"`
}

// operation is one change. Directories spell Op in any case; without a path the value has attributes, whose names
// may be paths, too.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

func (in patchRequest) apply(p *user.Person) error {
	for _, o := range in.Operations {
		if err := o.apply(p); err != nil {
			return err
		}
	}
	return nil
}

func (o operation) apply(p *user.Person) error {
	switch op := strings.ToLower(o.Op); {
	case len(o.Path) > maxPath:
		return errPath
	case op == "remove" && o.Path == "":
		return errPath
	case op == "remove":
		return remove(p, normalised(o.Path))
	case op != "add" && op != "replace":
		return errSyntax.WithMsg("An operation is add, remove or replace.")
	case o.Path != "":
		return set(p, normalised(o.Path), o.Value)
	}
	values, ok := o.Value.(map[string]any)
	if !ok {
		return errValue.WithMsg("Without a path, the value is an object with attributes.")
	}
	for _, path := range inOrder(values) {
		if err := set(p, normalised(path), values[path]); err != nil {
			return err
		}
	}
	return nil
}

// inOrder returns the paths of values in the order in which they are set: displayName last, because it says how the
// person is called whatever the parts of the name are.
func inOrder(values map[string]any) []string {
	return slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		rank := func(path string) int {
			if normalised(path) == "displayname" {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}

// normalised returns a path in small letters, without the schema of users.
func normalised(path string) string {
	return strings.TrimPrefix(strings.ToLower(strings.TrimSpace(path)), strings.ToLower(userSchema)+":")
}

// set changes an attribute, or removes it if there is no value (RFC 7643, section 2.5). One that is not stored is
// ignored: directories send what their mapping says.
func set(p *user.Person, path string, value any) error {
	if value == nil {
		return remove(p, path)
	}
	switch path {
	case "active":
		return setActive(p, value)
	case "name":
		return setName(p, value)
	case "preferredlanguage", "locale":
		tag, ok := value.(string)
		if ok && path == "preferredlanguage" {
			p.Lang = language(tag)
		}
		return nil
	}
	to := field(p, path)
	if to == nil {
		return nil
	}
	text, ok := value.(string)
	if !ok {
		return errValue.WithMsg(path + " is not a string.")
	}
	before := joined(*p)
	*to = text
	if strings.HasPrefix(path, "name.") && (p.Name == "" || p.Name == before) {
		p.Name = joined(*p)
	}
	return nil
}

// field returns what an attribute is stored in; nil if it is not stored.
func field(p *user.Person, path string) *string {
	switch path {
	case "username":
		return &p.Email
	case "externalid":
		return &p.ExternalID
	case "displayname", "name.formatted":
		return &p.Name
	case "name.givenname":
		return &p.GivenName
	case "name.familyname":
		return &p.FamilyName
	}
	return nil
}

func setName(p *user.Person, value any) error {
	parts, ok := value.(map[string]any)
	if !ok {
		return errValue.WithMsg("name is not an object.")
	}
	for _, part := range []string{"givenName", "familyName", "formatted"} { // formatted says how the person is called
		if value, given := parts[part]; given {
			if err := set(p, "name."+strings.ToLower(part), value); err != nil {
				return err
			}
		}
	}
	return nil
}

func remove(p *user.Person, path string) error {
	switch path {
	case "username", "active":
		return errValue.WithMsg(path + " cannot be removed.")
	case "name":
		p.GivenName, p.FamilyName = "", ""
		return nil
	}
	if to := field(p, path); to != nil {
		*to = ""
	}
	return nil
}
