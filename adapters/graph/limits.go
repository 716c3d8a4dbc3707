package graph

import (
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// limits bound a document before it is validated, because validating a hostile document
// is expensive: the validator compares each pair of fields with the same response name,
// and compares them again for each fragment around them. cost.go limits what a valid
// document costs to execute.
//
// The limits of a document count each fragment where it is spread and once more where
// it is defined, because the validator visits both.
type limits struct {
	tokens      int // of a document
	nodes       int // fields, arguments and fragments of a document
	comparisons int // of a document, by the validator: see comparisons.go

	depth     int // of nested fields
	nesting   int // of fragments in fragments, named or inline
	aliases   int // of a query
	mutations int // aliases of a mutation, whose fields are executed serially
	heavy     int // passwords hashed or compared, or tokens verified, by one operation

	introspection bool // allow __schema and __type
}

var (
	productionLimits = limits{
		tokens: 5000, nodes: 1000, comparisons: 4000,
		depth: 10, nesting: 10, aliases: 20, mutations: 100, heavy: 10,
	}
	developmentLimits = forDevelopment(productionLimits)
)

// forDevelopment allows the introspection query of GraphiQL and code generators, whose
// depth is 15.
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
	errDefer         = refuse(http.StatusBadRequest, badRequest, "@defer is not supported.")
	errIntrospection = refuse(http.StatusBadRequest, badRequest, "Introspection is off.")
)

// check parses the document and returns an error if it exceeds a limit. Its own work is
// limited by the number of tokens, and by the nodes where it expands fragments.
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

// measure returns an error for an operation or fragment that is too large, and
// otherwise the total size.
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
