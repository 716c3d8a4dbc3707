package graph

import (
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// limits bound a document before it is validated, because validating a hostile
// one is work too. What its fields cost is another matter: see cost.go.
type limits struct {
	tokens        int  // in the whole document
	fields        int  // in one operation, its fragments written out
	depth         int  // of nested fields
	aliases       int  // in one query, its fragments written out
	tries         int  // the same in one mutation
	introspection bool // whether __schema and __type may be asked
}

var (
	// The fields of a mutation are executed one after the other, and each that
	// tries a password or a code is counted where it is tried: a hundred of them by
	// aliases are no more than a hundred requests.
	productionLimits = limits{tokens: 5000, fields: 1000, depth: 10, aliases: 20, tries: 100}
	// The usual introspection query alone is 14 deep.
	developmentLimits = limits{tokens: 5000, fields: 1000, depth: 20, aliases: 20, tries: 100, introspection: true}
)

var (
	errSyntax        = refuse(http.StatusBadRequest, badRequest, "The query has a syntax error.")
	errTooComplex    = refuse(http.StatusBadRequest, queryTooComplex, "The query asks for too much.")
	errTooManyTokens = refuse(http.StatusBadRequest, queryTooComplex, "The query is too long.")
	errTooNested     = refuse(http.StatusBadRequest, queryTooComplex, "The query is nested too deeply.")
	errTooManyAlias  = refuse(http.StatusBadRequest, queryTooComplex, "The query has too many aliases.")
	errCycle         = refuse(http.StatusBadRequest, badRequest, "A fragment spreads itself.")
	errDefer         = refuse(http.StatusBadRequest, badRequest, "@defer is not served.")
	errIntrospection = refuse(http.StatusBadRequest, badRequest, "Introspection is off.")
)

// check parses the document and measures each of its operations.
func (l limits) check(query string) error {
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: query}, l.tokens)
	if err != nil {
		if strings.Contains(err.Error(), "exceeded token limit") {
			return errTooManyTokens
		}
		return syntaxError(err)
	}
	m := measurer{limits: l, fragments: doc.Fragments, done: map[string]shape{}, open: map[string]bool{}}
	for _, op := range doc.Operations {
		s, err := m.set(op.SelectionSet)
		if err != nil {
			return err
		}
		if err := l.admit(s, op.Operation); err != nil {
			return err
		}
	}
	return nil
}

func (l limits) admit(s shape, op ast.Operation) error {
	aliases := l.aliases
	if op == ast.Mutation {
		aliases = l.tries
	}
	switch {
	case s.depth > l.depth:
		return errTooNested
	case s.aliases > aliases:
		return errTooManyAlias
	case s.fields > l.fields:
		return errTooComplex
	}
	return nil
}

// shape is the size of a selection with its fragments written out.
type shape struct{ fields, depth, aliases int }

// with adds what stands beside; the sums stop growing at what no limit allows,
// so that fragments which double each other cannot overflow them.
func (s shape) with(o shape) shape {
	const enough = 1 << 30
	return shape{min(enough, s.fields+o.fields), max(s.depth, o.depth), min(enough, s.aliases+o.aliases)}
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
			if s, err = m.set(node.SelectionSet); err == nil {
				err = refuseDefer(node.Directives)
			}
		case *ast.FragmentSpread:
			if s, err = m.fragment(node.Name); err == nil {
				err = refuseDefer(node.Directives)
			}
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
	s.fields++
	s.depth++
	if f.Alias != f.Name {
		s.aliases++
	}
	return s, nil
}

func (m measurer) fragment(name string) (shape, error) {
	if s, ok := m.done[name]; ok {
		return s, nil
	}
	def := m.fragments.ForName(name)
	if def == nil {
		return shape{}, nil // validation will say so
	}
	if m.open[name] {
		return shape{}, errCycle
	}
	m.open[name] = true
	s, err := m.set(def.SelectionSet)
	m.done[name] = s
	return s, err
}

// refuseDefer: the one directive of gqlgen's own that would send an answer in
// parts, which this edge does not.
func refuseDefer(directives ast.DirectiveList) error {
	if directives.ForName("defer") != nil {
		return errDefer
	}
	return nil
}
