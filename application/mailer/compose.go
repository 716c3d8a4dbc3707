package mailer

import (
	"bytes"
	"embed"
	"fmt"
	htmltemplate "html/template"
	"strings"
	texttemplate "text/template"
	"unicode"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

//go:embed templates/*.tmpl
var files embed.FS

// The templates are parsed when the program starts, so that a broken one fails every
// test and not a mail.
var (
	layout    = htmltemplate.Must(htmltemplate.ParseFS(files, "templates/layout.html.tmpl"))
	templates = map[user.Lang]*texttemplate.Template{
		user.EN: parseTemplates("en", english),
		user.FR: parseTemplates("fr", french),
	}
)

func parseTemplates(lang string, l locale) *texttemplate.Template {
	funcs := texttemplate.FuncMap{
		"money": l.formatMoney,
		"when":  l.formatTime,
		"code":  func() string { return codeMark },
		"link":  func(label string) string { return linkMark + label },
	}
	return texttemplate.Must(texttemplate.New(lang).Funcs(funcs).ParseFS(files, "templates/"+lang+".tmpl"))
}

// Parameters cannot contain these marks, because cleanParam removes control characters.
const (
	codeMark = "\x00code"
	linkMark = "\x00link "
)

// part is a paragraph of text, a code, or a link with a label.
type part struct{ Text, Code, Link, Label string }

// content is a mail before it becomes text and HTML, which therefore say the same.
type content struct {
	Lang      user.Lang
	Subject   string
	Greeting  string
	Parts     []part
	Footer    string
	Stop      string
	StopLabel string
}

// composeContent writes a message in its language, or in English if there are no
// templates in that language. It returns ErrPermanent for a kind without a template.
func composeContent(m message.Message) (content, error) {
	lang := m.Lang
	if templates[lang] == nil {
		lang = user.EN
	}
	w := writer{templates[lang], newTemplateData(m, lang)}
	c := content{
		Lang:      lang,
		Subject:   w.line(string(m.Kind) + ".subject"),
		Greeting:  w.line("greeting"),
		Parts:     w.parts(string(m.Kind)+".body", m),
		Footer:    w.line("footer"),
		Stop:      m.Params[message.ParamStop],
		StopLabel: w.line("stop"),
	}
	if w.data.err != nil {
		return content{}, fmt.Errorf("%w: no template for %s: %w", ErrPermanent, m.Kind, w.data.err)
	}
	return c, nil
}

// writer executes the templates of one language. The first error stays in data.err.
type writer struct {
	templates *texttemplate.Template
	data      *templateData
}

func (w writer) execute(name string) string {
	var b strings.Builder
	if err := w.templates.ExecuteTemplate(&b, name, w.data); err != nil && w.data.err == nil {
		w.data.err = err
	}
	return b.String()
}

// line joins the output to one line: a line break in a subject would start another
// header.
func (w writer) line(name string) string {
	return collapseSpaces(w.execute(name))
}

// collapseSpaces replaces each run of white space by one space. It keeps no-break spaces,
// which strings.Fields would not.
func collapseSpaces(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) && r != '\u00a0' && r != '\u202f'
	}), " ")
}

func (w writer) parts(name string, m message.Message) []part {
	var parts []part
	for paragraph := range strings.SplitSeq(w.execute(name), "\n\n") {
		paragraph = collapseSpaces(paragraph)
		label, isLink := strings.CutPrefix(paragraph, linkMark)
		switch {
		case paragraph == "", isLink && m.Link == "", paragraph == codeMark && m.Code == "":
		case paragraph == codeMark:
			parts = append(parts, part{Code: m.Code})
		case isLink:
			parts = append(parts, part{Link: m.Link, Label: label})
		default:
			parts = append(parts, part{Text: paragraph})
		}
	}
	return parts
}

func (c content) html() (string, error) {
	var b bytes.Buffer
	err := layout.Execute(&b, c)
	return b.String(), err
}

func (c content) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", c.Greeting)
	for _, p := range c.Parts {
		switch {
		case p.Code != "":
			fmt.Fprintf(&b, "    %s\n\n", p.Code)
		case p.Link != "":
			fmt.Fprintf(&b, "%s\n%s\n\n", p.Label, p.Link)
		default:
			fmt.Fprintf(&b, "%s\n\n", p.Text)
		}
	}
	fmt.Fprintf(&b, "-- \n%s\n", c.Footer)
	if c.Stop != "" {
		fmt.Fprintf(&b, "%s\n%s\n", c.StopLabel, c.Stop)
	}
	return b.String()
}
