package markdown

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// columns is the width of a page in a terminal; code is not wrapped.
const columns = 80

// ErrNoSection says that a page has no heading with an anchor.
var ErrNoSection = errors.New("markdown: there is no such section")

// Terminal returns a page as text for a terminal, or the section at an anchor, or ErrNoSection. bold
// marks the headings.
func (l *Library) Terminal(p Page, anchor string, bold func(string) string) (string, error) {
	doc, source, err := l.parse(p, func(target, _ string) string { return target })
	if err != nil {
		return "", err
	}
	if anchor != "" && !keepSection(doc, anchor) {
		return "", ErrNoSection
	}
	t := terminal{source: source, bold: bold, library: l}
	return strings.Join(t.blocks(doc, columns), "\n") + "\n", nil
}

// Anchors returns the anchors of a page, in its order.
func (l *Library) Anchors(p Page) (all []string, err error) {
	doc, _, err := l.parse(p, func(target, _ string) string { return target })
	if err != nil {
		return nil, err
	}
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if heading, ok := n.(*ast.Heading); ok {
			all = append(all, anchorOf(heading))
		}
	}
	return all, nil
}

func anchorOf(heading *ast.Heading) string {
	id, _ := heading.AttributeString("id")
	text, _ := id.([]byte)
	return string(text)
}

// keepSection removes everything but the section at an anchor, up to the next heading of its level,
// and reports whether there is one.
func keepSection(doc ast.Node, anchor string) bool {
	level, found := 0, false
	for n := doc.FirstChild(); n != nil; {
		next := n.NextSibling()
		if heading, ok := n.(*ast.Heading); ok {
			switch {
			case !found && anchorOf(heading) == anchor:
				level, found = heading.Level, true
			case level > 0 && heading.Level <= level:
				level = 0
			}
		}
		if level == 0 {
			doc.RemoveChild(doc, n)
		}
		n = next
	}
	return found
}

type terminal struct {
	source  []byte
	bold    func(string) string
	library *Library
}

// blocks returns the lines of a node's blocks, with a blank line between two of them.
func (t terminal) blocks(parent ast.Node, width int) (lines []string) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		block := t.block(n, width)
		if tight := n.Kind() == ast.KindTextBlock || parent.Kind() == ast.KindList && parent.(*ast.List).IsTight; len(lines) > 0 && !tight {
			lines = append(lines, "")
		}
		lines = append(lines, block...)
	}
	return lines
}

func (t terminal) block(n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return t.heading(n, width)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return t.code(n)
	case *ast.List:
		return t.list(n, width)
	case *ast.Blockquote:
		return indent(t.blocks(n, width-2), "| ", "| ")
	case *ast.ThematicBreak:
		return []string{strings.Repeat("-", width)}
	case *extast.Table:
		return t.table(n, width)
	case *ast.HTMLBlock:
		return nil
	}
	return wrap(t.inline(n), width)
}

func (t terminal) heading(n *ast.Heading, width int) []string {
	lines := wrap(t.inline(n), width)
	rule := map[int]string{1: "=", 2: "-"}[n.Level]
	length := utf8.RuneCountInString(lines[len(lines)-1])
	for i := range lines {
		lines[i] = t.bold(lines[i])
	}
	if rule != "" {
		lines = append(lines, strings.Repeat(rule, length))
	}
	return lines
}

func (t terminal) code(n ast.Node) []string {
	var lines []string
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		lines = append(lines, strings.TrimRight("    "+string(segment.Value(t.source)), "\n "))
	}
	return lines
}

func (t terminal) list(l *ast.List, width int) (lines []string) {
	number := l.Start
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "- "
		if l.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		if len(lines) > 0 && !l.IsTight {
			lines = append(lines, "")
		}
		lines = append(lines, indent(t.blocks(item, width-len(mark)), mark, strings.Repeat(" ", len(mark)))...)
	}
	return lines
}

// inline returns the text within a block, without emphasis.
func (t terminal) inline(parent ast.Node) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			b.Write(t.words(n))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.CodeSpan:
			b.WriteString(t.inline(n))
		case *ast.AutoLink:
			b.Write(n.URL(t.source))
		case *ast.Image:
			b.WriteString("[picture: " + t.inline(n) + "]")
		case *ast.Link:
			b.WriteString(t.link(n))
		default:
			b.WriteString(t.inline(n))
		}
	}
	return b.String()
}

// words returns a text without the backslashes that escape punctuation.
func (t terminal) words(n *ast.Text) []byte {
	value := n.Segment.Value(t.source)
	if n.IsRaw() {
		return value
	}
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
}

// link returns the text of a link and its target.
func (t terminal) link(n *ast.Link) string {
	words, target := t.inline(n), string(n.Destination)
	switch _, ours := t.library.pages[target]; {
	case ours:
		return words + " (octavo docs " + target + ")"
	case strings.HasPrefix(target, "#"):
		return words
	}
	return words + " (" + target + ")"
}

// wrap breaks a text into lines; a longer word has a line of its own.
func wrap(text string, width int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		line := &lines[len(lines)-1]
		switch {
		case *line == "":
			*line = word
		case utf8.RuneCountInString(*line)+1+utf8.RuneCountInString(word) > width:
			lines = append(lines, word)
		default:
			*line += " " + word
		}
	}
	return lines
}

// indent prefixes the first line with first and the others with next.
func indent(lines []string, first, next string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimRight(next+line, " ")
		if i == 0 {
			out[i] = first + line
		}
	}
	return out
}
