package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

type kind int

const (
	anyKind kind = iota // several types, or unknown ones
	stringKind
	timeKind
	intKind
	floatKind
	boolKind
	arrayKind
	mapKind
	objectKind
)

// node is the type of a value. An object with a name is a type of its own.
type node struct {
	kind   kind
	null   bool
	unsaid bool              // only null is said of it
	elem   *node             // of an array or a map
	fields map[string]*field // of an object without a name
	name   string            // of a type in types.named
}

type field struct {
	*node
	optional bool
}

// types are the objects that have a name, which is their title.
type types struct {
	schemas map[string]schema
	named   map[string]*node
	open    map[string]*node // components that are being read, which can contain themselves
}

func newTypes(schemas map[string]schema) *types {
	return &types{schemas: schemas, named: map[string]*node{}, open: map[string]*node{}}
}

// inline reads a schema as an object without a name.
func (t *types) inline(s schema) *node {
	for s.Ref != "" {
		s = t.schemas[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]]
	}
	s.Title = ""
	return t.read(s)
}

// read reads a schema.
func (t *types) read(s schema) *node {
	if s.Ref != "" {
		return t.component(s.Ref[strings.LastIndexByte(s.Ref, '/')+1:])
	}
	if all := slices.Concat(s.OneOf, s.AnyOf, s.AllOf); len(all) > 0 {
		return t.union(s, all)
	}
	kinds, null := s.kinds()
	if len(kinds) == 2 && slices.Contains(kinds, "integer") && slices.Contains(kinds, "number") {
		kinds = []string{"number"}
	}
	if len(kinds) != 1 {
		if s.Format == "date-time" && len(kinds) == 2 && !slices.Contains(kinds, "object") {
			return &node{kind: timeKind, null: null}
		}
		return &node{kind: anyKind, null: true, unsaid: len(kinds) == 0 && null}
	}
	n := &node{null: null}
	switch kinds[0] {
	case "string":
		n.kind = stringKind
		if s.Format == "date-time" {
			n.kind = timeKind
		}
	case "integer":
		n.kind = intKind
	case "number":
		n.kind = floatKind
	case "boolean":
		n.kind = boolKind
	case "array":
		n.kind, n.elem = arrayKind, &node{kind: anyKind}
		if s.Items != nil {
			n.elem = t.read(*s.Items)
		}
	default:
		t.readObject(n, s)
	}
	return n
}

// component reads a component, which is named for its title or itself.
func (t *types) component(name string) *node {
	if n := t.open[name]; n != nil {
		return n
	}
	s := t.schemas[name]
	if s.Title == "" || strings.HasPrefix(name, "repository-rule-") {
		s.Title = name
	}
	if s.Properties != nil {
		placeholder := &node{kind: objectKind, name: typeName(s.Title)}
		t.open[name] = placeholder
		defer delete(t.open, name)
		if _, null := s.kinds(); null {
			placeholder.null = true
		}
	}
	return t.read(s)
}

// union reads alternatives, or parts, as one type.
func (t *types) union(s schema, all []schema) *node {
	var n *node
	null := false
	if s.Properties != nil {
		own := s
		own.OneOf, own.AnyOf, own.AllOf = nil, nil, nil
		n = t.read(own)
	}
	for _, one := range all {
		if kinds, isNull := one.kinds(); len(kinds) == 0 && isNull && one.Ref == "" && len(one.OneOf)+len(one.AnyOf)+len(one.AllOf) == 0 {
			null = true
			continue
		}
		if one.Ref == "" && one.Type == nil && one.Properties == nil && one.Items == nil && len(one.Enum)+len(one.OneOf)+len(one.AnyOf)+len(one.AllOf) == 0 {
			continue // a condition such as required
		}
		next := t.read(one)
		if n == nil {
			n = next
		} else {
			n = t.merge(n, next)
		}
	}
	if n == nil {
		return &node{kind: anyKind, null: true}
	}
	copied := *n
	copied.null = copied.null || null
	return &copied
}

func (t *types) readObject(n *node, s schema) {
	if len(s.Properties) == 0 {
		n.kind, n.elem = mapKind, &node{kind: anyKind}
		if more, ok := s.AdditionalProperties.(map[string]any); ok {
			n.elem = t.read(schemaOf(more))
		}
		return
	}
	n.kind, n.fields = objectKind, map[string]*field{}
	for _, name := range sortedKeys(s.Properties) {
		member := s.Properties[name]
		if name == "labels" && member.Items != nil { // the API takes names instead; a delivery has none
			member.Items = objectAmong(*member.Items)
		}
		n.fields[name] = &field{t.read(member), !slices.Contains(s.Required, name)}
	}
	if s.Title != "" {
		n.name, n.fields = t.register(typeName(s.Title), n), nil
	}
}

// objectAmong returns the alternative of a schema that is an object, or the schema.
func objectAmong(s schema) *schema {
	for _, one := range s.OneOf {
		if kinds, _ := one.kinds(); slices.Equal(kinds, []string{"object"}) {
			if one.Title == "" {
				one.Title = "Label"
			}
			return &one
		}
	}
	return &s
}

// schemaOf reads the few schemas of additional properties.
func schemaOf(m map[string]any) schema {
	s := schema{Type: m["type"]}
	s.Ref, _ = m["$ref"].(string)
	return s
}

// register makes an object a type with a name, or adds its members to the type that has it.
func (t *types) register(name string, n *node) string {
	one := &node{kind: objectKind, fields: n.fields}
	if known := t.named[name]; known != nil {
		one = t.mergeFields(known, one)
	}
	t.named[name] = one
	return name
}

// merge returns a type for the values of both.
func (t *types) merge(a, b *node) *node {
	null := a.null || b.null
	switch {
	case a.kind == objectKind && b.kind == objectKind:
		return t.mergeObjects(a, b)
	case a.kind == arrayKind && b.kind == arrayKind, a.kind == mapKind && b.kind == mapKind:
		return &node{kind: a.kind, null: null, elem: t.merge(a.elem, b.elem)}
	case a.kind == b.kind:
		return &node{kind: a.kind, null: null}
	case isNumber(a) && isNumber(b):
		return &node{kind: floatKind, null: null}
	case isTime(a, b), isTime(b, a):
		return &node{kind: timeKind, null: null}
	case a.kind == mapKind && b.kind == objectKind && a.elem.kind == anyKind: // an object of which nothing is said
		return b
	case b.kind == mapKind && a.kind == objectKind && b.elem.kind == anyKind:
		return a
	case a.kind == anyKind && a.unsaid: // nothing but null
		return withNull(b)
	case b.kind == anyKind && b.unsaid:
		return withNull(a)
	}
	return &node{kind: anyKind, null: true}
}

func withNull(n *node) *node {
	copied := *n
	copied.null = true
	return &copied
}

func isNumber(n *node) bool { return n.kind == intKind || n.kind == floatKind }

// isTime reports whether b is how a time may be written, too: as a text or in seconds.
func isTime(a, b *node) bool {
	return a.kind == timeKind && (b.kind == intKind || b.kind == stringKind)
}

// mergeObjects keeps a name: an object without one adds its members to the type that has one, and
// two types with different names become a third.
func (t *types) mergeObjects(a, b *node) *node {
	null := a.null || b.null
	if a.name == b.name && a.name != "" {
		return &node{kind: objectKind, name: a.name, null: null}
	}
	name := together(a.name, b.name)
	if name != "" && (t.fieldsOf(a) == nil || t.fieldsOf(b) == nil) {
		return &node{kind: objectKind, name: cmp.Or(a.name, b.name), null: null} // one contains itself
	}
	merged := t.mergeFields(a, b)
	if merged.null = null; name == "" {
		return merged
	}
	return &node{kind: objectKind, name: t.register(name, merged), null: null}
}

// together names what may be one of several types.
func together(a, b string) string {
	var parts []string
	for _, name := range []string{a, b} {
		for part := range strings.SplitSeq(name, "Or") {
			if part != "" && !slices.Contains(parts, part) && !strings.HasPrefix(name, "Organization") {
				parts = append(parts, part)
			}
		}
		if strings.HasPrefix(name, "Organization") {
			parts = append(parts, name)
		}
	}
	if len(parts) > 2 || slices.ContainsFunc(parts, isRule) {
		return ruleName
	}
	return strings.Join(parts, "Or")
}

// ruleName is the only type that may be one of more than two.
const ruleName = "RepositoryRule"

func isRule(name string) bool {
	return strings.HasPrefix(name, ruleName) && !strings.HasPrefix(name, "RepositoryRuleset")
}

func (t *types) mergeFields(a, b *node) *node {
	merged := &node{kind: objectKind, fields: map[string]*field{}}
	left, right := t.fieldsOf(a), t.fieldsOf(b)
	for name, one := range left {
		if other := right[name]; other != nil {
			merged.fields[name] = &field{t.merge(one.node, other.node), one.optional || other.optional}
		} else {
			merged.fields[name] = &field{one.node, true}
		}
	}
	for name, one := range right {
		if left[name] == nil {
			merged.fields[name] = &field{one.node, true}
		}
	}
	return merged
}

func (t *types) fieldsOf(n *node) map[string]*field {
	if n.name == "" {
		return n.fields
	}
	if named := t.named[n.name]; named != nil {
		return named.fields
	}
	return nil
}

// sameTypes are titles of what is one type: some have fewer members.
var sameTypes = map[string]string{
	"SimpleUser": "User", "GitHubApp": "App", "LicenseSimple": "License", "OrganizationSimple": "Organization", "TeamSimple": "Team",
	"MinimalRepository": "Repository", "FullRepository": "Repository", "RepositoryLite": "Repository", "SimpleRepository": "Repository",
	"SimpleInstallation": "Installation", "PullRequestAutoMerge": "AutoMerge", "CodeOfConductSimple": "CodeOfConduct", "SimpleCommit": "Commit",
	"SimplePullRequest": "PullRequest", "PullRequestMinimal": "PullRequest", "SimpleCheckSuite": "CheckSuite",
}

func typeName(title string) string {
	name := camel(title)
	return cmp.Or(sameTypes[name], name)
}

// keepUsed drops the types that no event needs.
func (t *types) keepUsed(events []event) {
	used := map[string]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if n.name != "" && !used[n.name] {
			used[n.name] = true
			visit(t.named[n.name])
		}
		if n.elem != nil {
			visit(n.elem)
		}
		for _, f := range n.fields {
			visit(f.node)
		}
	}
	for _, e := range events {
		visit(e.root)
	}
	maps.DeleteFunc(t.named, func(name string, _ *node) bool { return !used[name] })
}
