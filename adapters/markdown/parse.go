package markdown

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// converter leaves raw HTML out, and aligns cells without a style, which the pages'
// content policy would block.
var converter = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
)

// parse reads a page. href returns the targets of its links.
func (l *Library) parse(p Page, href func(target, anchor string) string) (ast.Node, []byte, error) {
	source, err := l.text(p)
	if err != nil {
		return nil, nil, fmt.Errorf("markdown: %w", err)
	}
	doc := converter.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(anchors{}))))
	dir := p.path
	if path.Ext(dir) == ".md" {
		dir = path.Dir(p.path)
	}
	relink := func(to []byte) []byte { return []byte(l.resolve(dir, string(to), href)) }
	err = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			if entering {
				n.Destination = relink(n.Destination)
			}
		case *ast.Image:
			if entering {
				n.Destination = relink(n.Destination)
			}
		case *extast.Table: // it scrolls in a narrow window, also by keyboard
			n.SetAttributeString("tabindex", []byte("0"))
		}
		return ast.WalkContinue, nil
	})
	return doc, source, err
}

// resolve returns the target of a link of a file in dir. href decides it for our own pages, by
// name, and pictures, by path.
func (l *Library) resolve(dir, to string, href func(target, anchor string) string) string {
	file, anchor, _ := strings.Cut(to, "#")
	if file == "" || strings.Contains(file, ":") {
		return to
	}
	file = path.Join(dir, file)
	if name, ok := l.names[file]; ok {
		return href(name, anchor)
	}
	if isPicture(file) {
		return href(strings.TrimPrefix(file, folder+"/"), "")
	}
	return l.source + file
}

// pictures are the media types of the pictures that pages show.
var pictures = map[string]string{".png": "image/png", ".svg": "image/svg+xml"}

func isPicture(file string) bool { return pictures[path.Ext(file)] != "" }

// anchors names headings as code hosts do, so that the same links work there and here.
type anchors map[string]int

// Generate implements parser.IDs.
func (a anchors) Generate(heading []byte, _ ast.NodeKind) []byte {
	id := anchor(string(heading))
	n := a[id]
	a[id]++
	if n > 0 {
		id = fmt.Sprintf("%s-%d", id, n)
	}
	return []byte(id)
}

// Put implements parser.IDs.
func (a anchors) Put(id []byte) { a[string(id)]++ }

func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.TrimSpace(heading))
}
