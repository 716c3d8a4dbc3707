package graph

import (
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// limits bound a document before it is validated, because validating a hostile
// document is work too: the validator compares every two fields that share a
// response name, and compares them again for each fragment around them. What a
// valid document costs to execute is bounded in cost.go.
//
// The bounds of a document count each fragment where it is spread and once more where
// it is defined, as the validator visits it.
type limits struct {
	tokens      int // of a document
	nodes       int // fields, arguments and fragments of a document
	comparisons int // of a document, by the validator: see comparisons.go

	depth     int // of nested fields
	nesting   int // of fragments in fragments, named or inline
	aliases   int // of a query
	mutations int // aliases of a mutation, whose fields are executed one after the other
	heavy     int // passwords hashed or compared, or tokens verified, by one operation

	introspection bool // whether __schema and __type may be asked
}

var (
	productionLimits = limits{
		tokens: 5000, nodes: 1000, comparisons: 4000,
		depth: 10, nesting: 10, aliases: 20, mutations: 100, heavy: 10,
	}
	developmentLimits = forDevelopment(productionLimits)
)

// forDevelopment lets the introspection query of GraphiQL and of code generators
// pass; it is 15 deep.
func forDevelopment(l limits) limits {
	l.depth, l.introspection = 20, true
	return l
}

var (
	errSyntax        = refuse(http.StatusBadRequest, badRequest, "The query has a syntax error.")
	errTooComplex    = refuse(http.StatusBadRequest, queryTooComplex, "The query asks for too much.")
	errTooManyTokens = refuse(http.StatusBadRequest, queryTooComplex, "The query is too long.")
	errTooManySame   = refuse(http.StatusBadRequest, queryTooComplex, "The query names the same fields or too many fragments in one place.")
	errTooNested     = refuse(http.StatusBadRequest, queryTooComplex, "The query is nested too deeply.")
	errTooManyAlias  = refuse(http.StatusBadRequest, queryTooComplex, "The query has too many aliases.")
	errTooHeavy      = refuse(http.StatusBadRequest, queryTooComplex, "The query checks too many passwords or tokens.")
	errCycle         = refuse(http.StatusBadRequest, badRequest, "A fragment spreads itself.")
	errDefer         = refuse(http.StatusBadRequest, badRequest, "@defer is not served.")
	errIntrospection = refuse(http.StatusBadRequest, badRequest, "Introspection is off.")
)

// check parses the document and refuses what is beyond the limits. Its own work
// is bounded by the tokens, and where it writes fragments out, by the nodes.
func (l limits) check(query string) error {
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: query}, l.tokens)
	if err != nil {
		if strings.Contains(err.Error(), "exceeded token limit") {
			return errTooManyTokens
		}
		return syntaxError(err)
	}
	total, err := l.measure(doc)
	switch {
	case err != nil:
		return err
	case total.nodes > l.nodes:
		return errTooComplex
	case comparisons(doc) > l.comparisons:
		return errTooManySame
	}
	return nil
}

// measure refuses an operation or fragment that is too large by itself, and
// returns the size of all of them together.
func (l limits) measure(doc *ast.QueryDocument) (total shape, err error) {
	m := measurer{limits: l, fragments: doc.Fragments, done: map[string]shape{}, open: map[string]bool{}}
	for _, op := range doc.Operations {
		s, err := m.set(op.SelectionSet)
		if err != nil {
			return shape{}, err
		}
		if err := l.admit(s, op.Operation); err != nil {
			return shape{}, err
		}
		total = total.with(s)
	}
	for _, def := range doc.Fragments {
		s, err := m.set(def.SelectionSet)
		if err != nil {
			return shape{}, err
		}
		total = total.with(s)
	}
	if total.depth > l.depth || total.nesting > l.nesting {
		return shape{}, errTooNested
	}
	return total, nil
}

func (l limits) admit(s shape, op ast.Operation) error {
	aliases := l.aliases
	if op == ast.Mutation {
		aliases = l.mutations
	}
	switch {
	case s.aliases > aliases:
		return errTooManyAlias
	case s.heavy > l.heavy:
		return errTooHeavy
	}
	return nil
}
