package rest

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"github.com/octavo-books/octavo/adapters/rest/openapi"
)

// docsView is what the page about the API shows.
type docsView struct {
	Title, Description string
	Groups             []group
	Shapes             []openapi.Named
}

type group struct {
	openapi.Tag
	Operations []*openapi.Operation
}

// fieldsView is a table of an object's fields. Optional marks those that may be
// left out.
type fieldsView struct {
	Caption, Optional string
	Fields            []fieldView
}

type fieldView struct {
	openapi.Named
	Optional bool
	Meaning  string
}

func parseDocs() (*template.Template, error) {
	return template.New("docs.html.tmpl").Funcs(template.FuncMap{
		"who": whoWords, "paragraphs": paragraphs, "pieces": pieces, "bounds": bounds,
		"fields": fieldsOfObject, "answers": successes, "data": enveloped,
	}).ParseFS(files, "templates/docs.html.tmpl")
}

func renderDocs(t *template.Template, d *openapi.Document) (template.HTML, error) {
	view := docsView{Title: d.Title, Description: d.Description}
	for _, tag := range d.Tags {
		g := group{Tag: tag}
		for _, op := range d.Operations {
			if op.Tag == tag.Name {
				g.Operations = append(g.Operations, op)
			}
		}
		view.Groups = append(view.Groups, g)
	}
	for _, s := range d.Schemas {
		if !strings.HasSuffix(s.Name, "Answer") { // envelopes are said once, in prose
			view.Shapes = append(view.Shapes, s)
		}
	}
	var buf bytes.Buffer
	err := t.Execute(&buf, view)
	return template.HTML(buf.String()), err //nolint:gosec // our own template has made it
}

func whoWords(w openapi.Who) string {
	return map[openapi.Who]string{
		openapi.Anyone:   "anyone",
		openapi.Optional: "anyone; a token, if sent, must be good",
		openapi.SignedIn: "whoever is signed in",
		openapi.User:     "signed in, with a confirmed address and a student profile",
		openapi.Admin:    "admins and owners",
		openapi.Owner:    "owners",
	}[w]
}

// paragraphs splits at empty lines.
func paragraphs(text string) []string {
	var out []string
	for p := range strings.SplitSeq(text, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// piece is a stretch of text, set as code where it stood between backticks.
type piece struct {
	Text string
	Code bool
}

func pieces(text string) []piece {
	var out []piece
	for i, s := range strings.Split(text, "`") {
		out = append(out, piece{s, i%2 == 1})
	}
	return out
}

// bounds says what a value may be, besides its type.
func bounds(s *openapi.Schema) string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	switch {
	case s.MinLength > 0:
		add("%d to %d characters", s.MinLength, s.MaxLength)
	case s.MaxLength > 0:
		add("at most %d characters", s.MaxLength)
	}
	if s.Minimum != nil && s.Maximum != nil {
		add("%v to %v", *s.Minimum, int(*s.Maximum))
	}
	if s.Enum != nil {
		add("one of %s", strings.Join(s.Enum, ", "))
	}
	if s.MaxItems > 0 {
		add("at most %d", s.MaxItems)
	}
	if s.Nullable {
		add("or null")
	}
	if s.Default != "" {
		add("default %s", s.Default)
	}
	return strings.Join(out, "; ")
}

func fieldsOfObject(s *openapi.Schema, caption string) fieldsView {
	v := fieldsView{Caption: caption, Optional: "optional"}
	if caption == "Fields" {
		v.Optional = "not always"
	}
	for _, p := range s.Properties() {
		f := fieldView{Named: p, Optional: !s.Needs(p.Name)}
		if p.Schema.Name == "" { // a named shape explains itself
			f.Meaning = p.Schema.Description
		}
		v.Fields = append(v.Fields, f)
	}
	return v
}

// successes leaves out the refusals, which are said once, in prose.
func successes(answers []openapi.Answer) []openapi.Answer {
	var out []openapi.Answer
	for _, a := range answers {
		if a.Status < "4" {
			out = append(out, a)
		}
	}
	return out
}

// enveloped is what stands in data; nil for what has no envelope.
func enveloped(s *openapi.Schema) *openapi.Schema {
	for _, p := range s.Properties() {
		if p.Name == "data" {
			return p.Schema
		}
	}
	return nil
}
