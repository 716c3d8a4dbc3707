// Package expression compiles the conditions of forwarding rules with the parser of
// expr-lang/expr:
//
//	event == "push" && payload.repository.full_name in ["a/b", "a/c"] && !payload.deleted
//
// Of that language only what the contract names is accepted: ==, !=, <, <=, >, >=, in, &&,
// ||, !, startsWith, endsWith, contains and matches (also as functions), parentheses, texts,
// numbers, true, false, null, lists of these, and the names event, id, source, header and
// payload. There are no other functions, so nothing in a condition can loop or reach outside. The
// evaluation is our own, because a field that is missing must neither be an error nor make a condition
// true: as in SQL, a comparison with it is unknown, so is the negation of that, and an unknown condition
// does not hold.
package expression

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/octavo-books/octavo/application/inbox"
)

// The limits of a condition.
const (
	maxText  = 4000 // bytes
	maxNodes = 500  // names, values and operators
	maxPath  = 16   // keys and indexes after payload
)

// Compile compiles a condition.
func Compile(text string) (inbox.Expression, error) { return compile(text, false) }

// compile compiles a condition on a delivery or on claims.
func compile(text string, claims bool) (inbox.Expression, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return nil, errors.New("it is empty")
	case len(text) > maxText:
		return nil, fmt.Errorf("it is longer than %d bytes", maxText)
	case !utf8.ValidString(text):
		return nil, errors.New("it is not valid UTF-8")
	}
	tree, err := parser.ParseWithConfig(rewriteCalls(text), parserConfig())
	if err != nil {
		return nil, describe(err)
	}
	term, err := (&compiler{text, claims}).condition(tree.Node)
	if err != nil {
		return nil, err
	}
	return condition{term.eval}, nil
}

// parserConfig is made for each condition, because the parser writes to it.
func parserConfig() *conf.Config {
	c := conf.CreateNew()
	c.MaxNodes, c.DisableIfOperator = maxNodes, true
	return c
}

// describe formats an error of the parser, with its place, on one line.
func describe(err error) error {
	var found *file.Error
	if !errors.As(err, &found) {
		return err
	}
	message := strings.TrimPrefix(found.Message, "compilation failed: ")
	if strings.Contains(message, `Operator("=")`) {
		message = "= compares nothing, did you mean ==?"
	}
	if found.Line > 1 {
		return fmt.Errorf("line %d, character %d: %s", found.Line, found.Column+1, message)
	}
	return fmt.Errorf("character %d: %s", found.Column+1, message)
}

// condition is a compiled condition.
type condition struct {
	eval func(*inbox.Facts) value
}

// Matches reports whether the condition is true; unknown is not.
func (c condition) Matches(f *inbox.Facts) bool {
	v := c.eval(f)
	return v.kind == boolean && v.yes
}
