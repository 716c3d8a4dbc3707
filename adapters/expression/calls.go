package expression

import (
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"

	"github.com/octavo-books/octavo/application/inbox"
)

// The limits of matches: a pattern is compiled at the start, and a text is searched for every
// delivery, in a time proportional to both.
const (
	maxPattern = 1000      // bytes
	maxMatched = 256 << 10 // bytes
)

// textTests compare two texts. Each is an operator of expr, and with a capital letter the name by
// which calls rewrites it as a function.
var textTests = map[string]func(s, part string) bool{
	"startsWith": strings.HasPrefix, "endsWith": strings.HasSuffix, "contains": strings.Contains,
}

// functions are the operators that can be written as functions, by their rewritten names.
var functions = map[string]string{"StartsWith": "startsWith", "EndsWith": "endsWith", "Contains": "contains", "Matches": "matches"}

// rewriteCalls gives the operators that are written as functions, such as startsWith(a, b), a
// name that the parser takes for one of a function. The text keeps its length, so that errors
// show the right place.
func rewriteCalls(text string) string {
	tokens, err := lexer.Lex(file.NewSource(text))
	if err != nil {
		return text // the parser says what is wrong
	}
	runes := []rune(text)
	for i, token := range tokens {
		begins := i == 0 || !endsOperand(tokens[i-1])
		if _, known := functions[capital(token.Value)]; known && begins && token.Kind == lexer.Operator && i+1 < len(tokens) &&
			tokens[i+1].Is(lexer.Bracket, "(") {
			runes[token.From] += 'A' - 'a'
		}
	}
	return string(runes)
}

func capital(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// endsOperand reports whether an operator may follow the token.
func endsOperand(t lexer.Token) bool {
	switch t.Kind {
	case lexer.Identifier, lexer.Number, lexer.String:
		return true
	case lexer.Bracket:
		return t.Value == ")" || t.Value == "]" || t.Value == "}"
	case lexer.Operator:
		return t.Value == "."
	}
	return false
}

// call compiles an operator that is written as a function.
func (c *compiler) call(n *ast.CallNode) (term, error) {
	name, ok := n.Callee.(*ast.IdentifierNode)
	if !ok || functions[name.Value] == "" {
		return term{}, c.errorAt(n, "a condition has no functions but startsWith, endsWith, contains and matches")
	}
	if len(n.Arguments) != 2 {
		return term{}, c.errorAt(n, `%s needs two texts: %[1]s(payload.ref, "…")`, functions[name.Value])
	}
	return c.textTest(n, functions[name.Value], n.Arguments[0], n.Arguments[1])
}

// textTest compiles a test of two texts. With anything else than texts it is unknown.
func (c *compiler) textTest(n ast.Node, operator string, leftNode, rightNode ast.Node) (term, error) {
	left, err := c.compile(leftNode)
	if err != nil {
		return term{}, err
	}
	right, err := c.compile(rightNode)
	if err != nil {
		return term{}, err
	}
	for _, side := range []term{left, right} {
		if side.kind != unknown && side.kind != text {
			return term{}, c.errorAt(n, "%s compares texts, not %s", operator, side.kind)
		}
	}
	if operator == "matches" {
		return c.matches(n, left, rightNode)
	}
	holds := textTests[operator]
	return term{kind: boolean, eval: func(f *inbox.Facts) value {
		a, b := left.eval(f), right.eval(f)
		if c.claims && operator == "contains" && a.kind == list {
			return isIn(b, a)
		}
		if a.kind != text || b.kind != text {
			return value{}
		}
		return truth(holds(a.text, b.text))
	}}, nil
}

// matches compiles a test with a regular expression of RE2.
func (c *compiler) matches(n ast.Node, left term, pattern ast.Node) (term, error) {
	written, ok := pattern.(*ast.StringNode)
	if !ok {
		return term{}, c.errorAt(pattern, "matches needs its pattern as a text in quotes")
	}
	if len(written.Value) > maxPattern {
		return term{}, c.errorAt(pattern, "the pattern is longer than %d bytes", maxPattern)
	}
	compiled, err := regexp.Compile(written.Value)
	if err != nil {
		return term{}, c.errorAt(n, "%.200q is not a regular expression of RE2", written.Value)
	}
	return term{kind: boolean, eval: func(f *inbox.Facts) value {
		a := left.eval(f)
		if a.kind != text || len(a.text) > maxMatched {
			return value{}
		}
		return truth(compiled.MatchString(a.text))
	}}, nil
}
