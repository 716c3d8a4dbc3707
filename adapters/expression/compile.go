package expression

import (
	"fmt"
	"net/textproto"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"github.com/octavo-books/octavo/application/inbox"
)

// term is a compiled part of a condition.
type term struct {
	eval func(*inbox.Facts) value
	kind kind   // unknown if only the delivery decides
	list []term // of a list in brackets
}

// compiler compiles the parts of one condition.
type compiler struct {
	text   string
	claims bool // names are those of claims
}

// errorAt returns an error at a node.
func (c *compiler) errorAt(n ast.Node, format string, args ...any) error {
	before := []rune(c.text)[:min(n.Location().From, utf8.RuneCountInString(c.text))]
	message := fmt.Sprintf(format, args...)
	if line := strings.Count(string(before), "\n"); line > 0 {
		return fmt.Errorf("line %d: %s", line+1, message)
	}
	return fmt.Errorf("character %d: %s", len(before)+1, message)
}

// condition compiles a part that must be true or false.
func (c *compiler) condition(n ast.Node) (term, error) {
	t, err := c.compile(n)
	if err == nil && t.kind != unknown && t.kind != boolean {
		err = c.errorAt(n, "%s is not a condition; compare it with something", t.kind)
	}
	return t, err
}

func (c *compiler) compile(n ast.Node) (term, error) {
	switch n := n.(type) {
	case *ast.BoolNode:
		return constant(value{kind: boolean, yes: n.Value}), nil
	case *ast.NilNode:
		return constant(value{kind: null}), nil
	case *ast.StringNode:
		return constant(value{kind: text, text: n.Value}), nil
	case *ast.IntegerNode:
		return constant(value{kind: numeric, number: wholeNumber(int64(n.Value))}), nil
	case *ast.FloatNode:
		return constant(value{kind: numeric, number: number{float: n.Value}}), nil
	case *ast.CallNode:
		return c.call(n)
	case *ast.ArrayNode:
		return c.list(n)
	case *ast.IdentifierNode:
		return c.name(n)
	case *ast.MemberNode:
		return c.field(n)
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	}
	return term{}, c.errorAt(n, "a condition supports only ==, !=, <, <=, >, >=, in, &&, ||, !, startsWith, endsWith, contains and matches, and no functions")
}

func constant(v value) term {
	return term{eval: func(*inbox.Facts) value { return v }, kind: v.kind}
}

// names are those that a condition may use, besides payload.
var names = map[string]func(*inbox.Facts) string{
	"event":  func(f *inbox.Facts) string { return f.Event },
	"id":     func(f *inbox.Facts) string { return f.ID },
	"source": func(f *inbox.Facts) string { return f.Source },
}

func (c *compiler) name(n *ast.IdentifierNode) (term, error) {
	if c.claims && n.Value != "null" {
		return c.field(n)
	}
	if read := names[n.Value]; read != nil {
		return term{eval: func(f *inbox.Facts) value { return value{kind: text, text: read(f)} }, kind: text}, nil
	}
	switch n.Value {
	case "payload":
		return c.field(n)
	case "header":
		return term{}, c.errorAt(n, `one header is written header["X-GitHub-Event"]`)
	case "null":
		return constant(value{kind: null}), nil
	}
	return term{}, c.errorAt(n, "%.40s is not one of event, id, source, header and payload; a field of the body is payload.%[1]s", n.Value)
}

// field compiles payload with keys and indexes after it.
func (c *compiler) field(n ast.Node) (term, error) {
	var path []inbox.PathStep
	whole := n
	for {
		member, ok := n.(*ast.MemberNode)
		if !ok {
			break
		}
		step, err := c.step(member)
		if err != nil {
			return term{}, err
		}
		path, n = append(path, step), member.Node
	}
	base, ok := n.(*ast.IdentifierNode)
	switch {
	case ok && c.claims && base.Value == anyName && len(path) > 0:
	case ok && c.claims:
		path = append(path, inbox.PathStep{Name: base.Value})
	case ok && base.Value == "header":
		return c.header(whole, path)
	case !ok || base.Value != "payload":
		return term{}, c.errorAt(n, "only payload has fields, and header")
	}
	if len(path) > maxPath {
		return term{}, c.errorAt(whole, "the path has more than %d steps", maxPath)
	}
	slices.Reverse(path)
	name := fmt.Sprint(path)
	return term{eval: func(f *inbox.Facts) value { return parse(f.Field(name, path)) }}, nil
}

// header compiles header["NAME"], in any letter case.
func (c *compiler) header(n ast.Node, path []inbox.PathStep) (term, error) {
	if len(path) != 1 || path[0].Name == "" {
		return term{}, c.errorAt(n, `one header is written header["X-GitHub-Event"]`)
	}
	name := textproto.CanonicalMIMEHeaderKey(path[0].Name)
	return term{kind: unknown, eval: func(f *inbox.Facts) value {
		if v, ok := f.Header(name); ok {
			return value{kind: text, text: v}
		}
		return value{}
	}}, nil
}

func (c *compiler) step(n *ast.MemberNode) (inbox.PathStep, error) {
	switch key := n.Property.(type) {
	case *ast.StringNode:
		if key.Value != "" && !n.Optional && !n.Method {
			return inbox.PathStep{Name: key.Value}, nil
		}
	case *ast.IntegerNode:
		if key.Value >= 0 && !n.Optional {
			return inbox.PathStep{Index: key.Value}, nil
		}
	}
	return inbox.PathStep{}, c.errorAt(n, `a field is written payload.key, payload["a key"] or payload.list[0]`)
}

// list compiles a list in brackets.
func (c *compiler) list(n *ast.ArrayNode) (term, error) {
	all := make([]term, 0, len(n.Nodes))
	for _, element := range n.Nodes {
		t, err := c.compile(element)
		if err != nil {
			return term{}, err
		}
		if t.kind == list {
			return term{}, c.errorAt(element, "a list contains no list")
		}
		all = append(all, t)
	}
	return term{kind: list, list: all}, nil
}

func (c *compiler) unary(n *ast.UnaryNode) (term, error) {
	switch operand := n.Node.(type) {
	case *ast.IntegerNode:
		if n.Operator == "-" {
			return constant(value{kind: numeric, number: wholeNumber(-int64(operand.Value))}), nil
		}
	case *ast.FloatNode:
		if n.Operator == "-" {
			return constant(value{kind: numeric, number: number{float: -operand.Value}}), nil
		}
	}
	if n.Operator != "!" {
		return term{}, c.errorAt(n, "%s is not supported; write ! for not, as in !(a in b)", n.Operator)
	}
	t, err := c.condition(n.Node)
	if err != nil {
		return term{}, err
	}
	return term{eval: func(f *inbox.Facts) value { return not(t.eval(f)) }, kind: boolean}, nil
}

// instead are words for which a condition has another operator.
var instead = map[string]string{"and": "&&", "or": "||"}

func (c *compiler) binary(n *ast.BinaryNode) (term, error) {
	if n.Operator == "matches" || textTests[n.Operator] != nil {
		return c.textTest(n, n.Operator, n.Left, n.Right)
	}
	combine, compare := combinations[n.Operator], comparisons[n.Operator]
	if combine == nil && compare == nil && n.Operator != "in" {
		if better := instead[n.Operator]; better != "" {
			return term{}, c.errorAt(n, "write %s in place of %s", better, n.Operator)
		}
		return term{}, c.errorAt(n, "%s is not supported; a condition supports only ==, !=, <, <=, >, >=, in, &&, ||, !, startsWith, endsWith, contains and matches", n.Operator)
	}
	read := c.compile
	if combine != nil {
		read = c.condition
	}
	left, err := read(n.Left)
	if err != nil {
		return term{}, err
	}
	right, err := read(n.Right)
	if err != nil {
		return term{}, err
	}
	switch {
	case left.kind == list:
		return term{}, c.errorAt(n.Left, "a list is only allowed on the right of in")
	case combine != nil:
		return term{eval: combine(left.eval, right.eval), kind: boolean}, nil
	case n.Operator == "in":
		return c.in(n, left, right)
	case right.kind == list:
		return term{}, c.errorAt(n.Right, "a list is only allowed on the right of in")
	}
	if left.kind != unknown && right.kind != unknown && left.kind != right.kind {
		return term{}, c.errorAt(n, "%s and %s cannot be compared", left.kind, right.kind)
	}
	return term{eval: func(f *inbox.Facts) value { return compare(left.eval(f), right.eval(f)) }, kind: boolean}, nil
}

func (c *compiler) in(n *ast.BinaryNode, left, right term) (term, error) {
	switch right.kind {
	case list:
		return term{eval: func(f *inbox.Facts) value { return isAmong(f, left.eval(f), right.list) }, kind: boolean}, nil
	case unknown:
		return term{eval: func(f *inbox.Facts) value { return isIn(left.eval(f), right.eval(f)) }, kind: boolean}, nil
	}
	return term{}, c.errorAt(n.Right, "in needs a list or a field on its right, not %s", right.kind)
}
