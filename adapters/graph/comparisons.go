package graph

import "github.com/vektah/gqlparser/v2/ast"

// comparisons counts what the validator compares to find fields that cannot be
// merged: within every operation and fragment, named or inline, each two fields
// that have the same place, with their arguments and selections, and each two
// spreads. It writes named fragments out, so the document must be free of cycles
// and its nodes bounded.
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

// place is where a value stands in the answer. Fields with the same response name
// whose parents have the same place share one.
type place struct {
	fields, spreads int
	below           map[string]*place
}

// at is the place of a response name below p.
func (p *place) at(name string) *place {
	if p.below == nil {
		p.below = map[string]*place{}
	}
	if p.below[name] == nil {
		p.below[name] = &place{}
	}
	return p.below[name]
}

type comparer struct {
	fragments ast.FragmentDefinitionList
	compared  int
}

// root compares within a selection, and again within each inline fragment in it: the
// validator starts anew for each of them.
func (c *comparer) root(set ast.SelectionSet) {
	c.add(&place{}, set)
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

// add adds a selection to the place of its parent and compares each part with
// those that are there already.
func (c *comparer) add(parent *place, set ast.SelectionSet) {
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
