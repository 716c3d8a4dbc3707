package graph

import "github.com/vektah/gqlparser/v2/ast"

// shape is the size of a selection with its fragments expanded.
type shape struct{ nodes, depth, nesting, aliases, heavy int }

// with adds another selection at the same level. Sums saturate above every limit, so
// that fragments that double each other cannot overflow them.
func (s shape) with(o shape) shape {
	const enough = 1 << 30
	return shape{
		nodes: min(enough, s.nodes+o.nodes), depth: max(s.depth, o.depth), nesting: max(s.nesting, o.nesting),
		aliases: min(enough, s.aliases+o.aliases), heavy: min(enough, s.heavy+o.heavy),
	}
}

// measurer measures each fragment once, however often it is spread.
type measurer struct {
	limits    limits
	fragments ast.FragmentDefinitionList
	done      map[string]shape
	open      map[string]bool
}

func (m measurer) set(set ast.SelectionSet) (total shape, err error) {
	for _, selection := range set {
		var s shape
		switch node := selection.(type) {
		case *ast.Field:
			s, err = m.field(node)
		case *ast.InlineFragment:
			s, err = m.set(node.SelectionSet)
			s, err = fragment(s, node.Directives, err)
		case *ast.FragmentSpread:
			s, err = m.named(node.Name)
			s, err = fragment(s, node.Directives, err)
		}
		if err != nil {
			return shape{}, err
		}
		total = total.with(s)
	}
	return total, nil
}

func (m measurer) field(f *ast.Field) (shape, error) {
	if (f.Name == "__schema" || f.Name == "__type") && !m.limits.introspection {
		return shape{}, errIntrospection
	}
	s, err := m.set(f.SelectionSet)
	if err != nil {
		return shape{}, err
	}
	s.nodes += 1 + len(f.Arguments)
	s.depth++
	s.heavy += heavy[f.Name]
	if f.Alias != f.Name {
		s.aliases++
	}
	return s, nil
}

// fragment adds the fragment itself to the shape of its content. It refuses @defer, a
// directive of gqlgen's own that splits the response into parts.
func fragment(s shape, directives ast.DirectiveList, err error) (shape, error) {
	if err == nil && directives.ForName("defer") != nil {
		err = errDefer
	}
	s.nodes++
	s.nesting++
	return s, err
}

func (m measurer) named(name string) (shape, error) {
	if s, ok := m.done[name]; ok {
		return s, nil
	}
	def := m.fragments.ForName(name)
	if def == nil {
		return shape{}, nil // the validator reports it
	}
	if m.open[name] {
		return shape{}, errCycle
	}
	m.open[name] = true
	s, err := m.set(def.SelectionSet)
	m.done[name] = s
	return s, err
}
