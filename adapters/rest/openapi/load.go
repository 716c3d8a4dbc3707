package openapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// loader resolves references and binds formats. It stores the first error.
type loader struct {
	components components
	formats    Formats
	done       map[*Schema]bool
	err        error
}

func (l *loader) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}

func (l *loader) document(f file) *Document {
	d := &Document{Schemas: map[string]*Schema{}}
	for name, s := range f.Components.Schemas {
		d.Schemas[name] = l.schema(s)
	}
	for _, path := range slices.Sorted(maps.Keys(f.Paths)) {
		p := f.Paths[path]
		for _, m := range []struct {
			name string
			op   *operation
		}{{"GET", p.Get}, {"POST", p.Post}, {"PUT", p.Put}} {
			if m.op != nil {
				d.Operations = append(d.Operations, l.operation(m.name, path, p.Parameters, m.op))
			}
		}
	}
	return d
}

func (l *loader) operation(method, path string, shared []parameter, o *operation) *Operation {
	out := &Operation{
		Method: method, Path: path, Pattern: pattern(path), Alias: pattern(o.Alias), ID: o.ID, Who: o.Who,
	}
	for _, p := range append(shared, o.Parameters...) {
		out.Parameters = append(out.Parameters, l.parameter(p))
	}
	if o.Body != nil {
		body := resolve(l, o.Body.Ref, *o.Body, l.components.RequestBodies)
		if _, out.Multipart = body.Content["multipart/form-data"]; out.Multipart {
			return out
		}
		if _, out.CSV = body.Content["text/csv"]; out.CSV {
			return out
		}
		content, ok := body.Content["application/json"]
		if !ok {
			l.fail("%s takes no JSON", o.ID)
		}
		out.Body, out.BodyRequired = l.schema(content.Schema), body.Required
		_, out.Form = body.Content["application/x-www-form-urlencoded"]
	}
	return out
}

func (l *loader) parameter(p parameter) Parameter {
	p = resolve(l, p.Ref, p, l.components.Parameters)
	p.Schema = l.schema(p.Schema)
	return p.Parameter
}

// schema resolves s and everything below it, and binds its format.
func (l *loader) schema(s *Schema) *Schema {
	if s == nil {
		l.fail("a schema is missing")
		return &Schema{}
	}
	if s.Ref != "" {
		target, ok := l.components.Schemas[refName(s.Ref)]
		if !ok {
			l.fail("%s leads nowhere", s.Ref)
			return s
		}
		return l.schema(target)
	}
	if l.done[s] {
		return s
	}
	l.done[s] = true
	for name, f := range s.Fields {
		s.Fields[name] = l.schema(f)
	}
	if s.Items != nil {
		s.Items = l.schema(s.Items)
	}
	if s.Values != nil {
		s.Values = l.schema(s.Values)
	}
	l.bind(s)
	return s
}

// bind finds the check of the format. A string without a format has the format "text".
func (l *loader) bind(s *Schema) {
	name := s.Format
	if name == "" && s.Type == "string" && s.Enum == nil {
		name = "text"
	}
	check, ok := l.formats[name]
	if !ok && name != "" {
		l.fail("the format %q has no check", name)
	}
	s.check = check
}

// resolve follows a reference into one kind of component.
func resolve[T any](l *loader, ref string, here T, components map[string]T) T {
	if ref == "" {
		return here
	}
	target, ok := components[refName(ref)]
	if !ok {
		l.fail("%s leads nowhere", ref)
		return here
	}
	return target
}

func refName(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// pattern rewrites a path of the document for routers.
func pattern(path string) string { return strings.NewReplacer("{", ":", "}", "").Replace(path) }
