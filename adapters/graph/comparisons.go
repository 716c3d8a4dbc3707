package graph

import "github.com/vektah/gqlparser/v2/ast"

// comparisons counts the comparisons that the validator makes to find fields that
// cannot be merged: for every operation and fragment, named or inline, each pair of
// fields at the same position, with their arguments and selections, and each pair of
// spreads. It expands named fragments, so the document must have no cycles and a
// limited number of nodes.
func comparisons(doc *ast.QueryDocument) int {
	c := comparer{fragments: doc.Fragments}
	for _, op := range doc.Operations {
		c.root(op.SelectionSet)
	}
	for _, def := range doc.Fragments {
		c.root(def.SelectionSet)
	}
	return c.compared
}

// position is where a value is in the response. Fields with the same response name and
// the same parent position share one.
type position struct {
	fields, spreads int
	below           map[string]*position
}

// at returns the position of a response name below p.
func (p *position) at(name string) *position {
	if p.below == nil {
		p.below = map[string]*position{}
	}
	if p.below[name] == nil {
		p.below[name] = &position{}
	}
	return p.below[name]
}

type comparer struct {
	fragments ast.FragmentDefinitionList
	compared  int
}

// root compares within a selection, and again within each inline fragment in it,
// because the validator starts anew for each of them.
func (c *comparer) root(set ast.SelectionSet) {
	c.add(&position{}, set)
	c.inner(set)
}

func (c *comparer) inner(set ast.SelectionSet) {
	for _, selection := range set {
		switch node := selection.(type) {
		case *ast.Field:
			c.inner(node.SelectionSet)
		case *ast.InlineFragment:
			c.root(node.SelectionSet)
		}
	}
}

// add adds a selection to its parent's position and compares each part with those that
// are already there.
func (c *comparer) add(parent *position, set ast.SelectionSet) {
	for _, selection := range set {
		switch node := selection.(type) {
		case *ast.Field:
			here := parent.at(node.Alias)
			c.compared += here.fields * (1 + len(node.Arguments) + len(node.SelectionSet))
			here.fields++
			c.add(here, node.SelectionSet)
		case *ast.InlineFragment:
			c.add(parent, node.SelectionSet)
		case *ast.FragmentSpread:
			c.compared += parent.spreads
			parent.spreads++
			if def := c.fragments.ForName(node.Name); def != nil {
				c.add(parent, def.SelectionSet)
			}
		}
	}
}
