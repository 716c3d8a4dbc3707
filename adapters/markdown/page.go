package markdown

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// HTML renders a text that belongs to no Library. title is the first heading, or "" without one.
// Raw HTML and links that would run scripts are left out.
func HTML(source []byte) (title string, main template.HTML, err error) {
	doc := converter.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(anchors{}))))
	var b bytes.Buffer
	b.WriteString(`<article class="doc">` + "\n")
	if err := converter.Renderer().Render(&b, source, doc); err != nil {
		return "", "", fmt.Errorf("markdown: %w", err)
	}
	b.WriteString("</article>\n")
	if title = titleOf(source); title == untitled {
		title = ""
	}
	// A table scrolls on a narrow screen, so whoever has but a keyboard must be able to reach it. Texts
	// have no <table> of their own: the renderer escapes them.
	shown := strings.ReplaceAll(b.String(), "<table>", `<table tabindex="0">`)
	return title, template.HTML(shown), nil //nolint:gosec // the renderer escapes, and leaves raw HTML out
}
