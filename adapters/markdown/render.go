package markdown

import (
	"bytes"
	"html/template"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// address returns where a page, by its name, or a picture, by its path, is served.
type address func(name, anchor string) string

// addressBelow is the address of a Site.
func addressBelow(base string) address {
	return func(name, anchor string) string {
		to := base
		if name != Index {
			to += "/" + name
		}
		if anchor != "" {
			to += "#" + anchor
		}
		return to
	}
}

// around is what stands before and after the text of a page.
var around = template.Must(template.New("").Parse(`
{{- define "top"}}<article class="doc">
{{if .Searched}}<form class="browse" role="search" action="{{.Index}}"><div class="search"><input type="search" name="q" aria-label="Search the documentation" placeholder="Search the documentation" value="{{.Words}}" maxlength="100"> <button type="submit">Search</button></div></form>
{{end}}{{if not .First}}<p><a href="{{.Index}}">Documentation</a>{{with .Above}} · <a href="{{.To}}">{{.Title}}</a>{{end}}</p>
{{end}}{{with .Contents}}<details class="contents"><summary>On this page</summary><ul>
{{range .}}<li><a href="{{.To}}">{{.Title}}</a></li>
{{end}}</ul></details>
{{end}}{{end}}
{{- define "end"}}{{if or .Before .After}}<p>{{with .Before}}Before: <a href="{{.To}}">{{.Title}}</a>{{end}}{{if and .Before .After}} · {{end}}{{with .After}}Next: <a href="{{.To}}">{{.Title}}</a>{{end}}</p>
{{end}}</article>
{{end}}`))

// link leads to a page or to a section of one.
type link struct{ To, Title string }

// frame is what the templates of around show.
type frame struct {
	Index, Words         string
	First                bool // the page is the index itself
	Searched             bool // the site has a search
	Above, Before, After *link
	Contents             []link
}

// fewSections are so few that a page shows no list of them.
const fewSections = 3

// frame returns what stands around a page.
func (l *Library) frame(p Page, doc ast.Node, source []byte, to address) frame {
	f := frame{Index: to(Index, ""), First: p.Name == Index}
	f.Searched = !strings.Contains(f.Index, ".html")
	linked := func(other *Page) *link {
		if other == nil {
			return nil
		}
		return &link{to(other.Name, ""), other.Title}
	}
	before, after := l.Neighbours(p)
	f.Before, f.After = linked(before), linked(after)
	if folder, _, below := strings.Cut(p.Name, "/"); below {
		above := l.pages[folder]
		f.Above = linked(&above)
	}
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level == 2 {
			id, _ := h.AttributeString("id")
			anchor, _ := id.([]byte)
			f.Contents = append(f.Contents, link{"#" + string(anchor), plain(h, source)})
		}
	}
	if len(f.Contents) <= fewSections {
		f.Contents = nil
	}
	return f
}

// html is the content of a page.
func (l *Library) html(p Page, to address) (template.HTML, error) {
	doc, source, err := l.parse(p, to)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	f := l.frame(p, doc, source, to)
	if err := around.ExecuteTemplate(&b, "top", f); err != nil {
		return "", err
	}
	if err := converter.Renderer().Render(&b, source, doc); err != nil {
		return "", err
	}
	if err := around.ExecuteTemplate(&b, "end", f); err != nil {
		return "", err
	}
	return template.HTML(b.String()), nil //nolint:gosec // the renderer escapes, and leaves raw HTML out
}

// plain is the text of a node without its marks.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
			if t.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
