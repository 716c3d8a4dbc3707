package courier

import (
	"bytes"
	"embed"
	"fmt"
	htmltemplate "html/template"
	"strings"
	texttemplate "text/template"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

//go:embed words/*.tmpl layout.html.tmpl
var templates embed.FS

// Every language has all the words; that they can be parsed is known at start.
var (
	layout = htmltemplate.Must(htmltemplate.ParseFS(templates, "layout.html.tmpl"))
	words  = map[user.Lang]*texttemplate.Template{
		user.EN: parseWords("en", english),
		user.FR: parseWords("fr", french),
	}
)

func parseWords(lang string, t tongue) *texttemplate.Template {
	funcs := texttemplate.FuncMap{
		"money": t.money,
		"when":  t.when,
		"code":  func() string { return codeMark },
		"link":  func(label string) string { return linkMark + label },
	}
	return texttemplate.Must(texttemplate.New(lang).Funcs(funcs).ParseFS(templates, "words/"+lang+".tmpl"))
}

// Nothing that people wrote can hold these: clean takes controls out of it.
const (
	codeMark = "\x00code"
	linkMark = "\x00link "
)

// part is a paragraph: words, or a code, or a link with a label.
type part struct{ Text, Code, Link, Label string }

// letter is a mail before it becomes text and HTML, which thus say the same.
type letter struct {
	Lang      user.Lang
	Subject   string
	Greeting  string
	Parts     []part
	Footer    string
	Stop      string
	StopLabel string
}

// compose puts a message into the words of its language, English where there is
// no such language. A kind without words is ErrHopeless.
func compose(m message.Message) (letter, error) {
	lang := m.Lang
	if words[lang] == nil {
		lang = user.EN
	}
	w := writer{words[lang], subjectOf(m, lang)}
	l := letter{
		Lang:      lang,
		Subject:   w.line(string(m.Kind) + ".subject"),
		Greeting:  w.line("greeting"),
		Parts:     w.parts(string(m.Kind)+".body", m),
		Footer:    w.line("footer"),
		Stop:      m.Params[message.ParamStop],
		StopLabel: w.line("stop"),
	}
	if w.about.err != nil {
		return letter{}, fmt.Errorf("%w: no words for %s: %w", ErrHopeless, m.Kind, w.about.err)
	}
	return l, nil
}

// writer executes templates about one message and keeps the first error.
type writer struct {
	words *texttemplate.Template
	about *subject
}

func (w writer) run(name string) string {
	var b strings.Builder
	if err := w.words.ExecuteTemplate(&b, name, w.about); err != nil && w.about.err == nil {
		w.about.err = err
	}
	return b.String()
}

// line has no line breaks, so that none can get into a header.
func (w writer) line(name string) string { return strings.Join(strings.Fields(w.run(name)), " ") }

func (w writer) parts(name string, m message.Message) []part {
	var parts []part
	for paragraph := range strings.SplitSeq(w.run(name), "\n\n") {
		paragraph = strings.Join(strings.Fields(paragraph), " ")
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

func (l letter) html() (string, error) {
	var b bytes.Buffer
	err := layout.Execute(&b, l)
	return b.String(), err
}

func (l letter) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", l.Greeting)
	for _, p := range l.Parts {
		switch {
		case p.Code != "":
			fmt.Fprintf(&b, "    %s\n\n", p.Code)
		case p.Link != "":
			fmt.Fprintf(&b, "%s\n%s\n\n", p.Label, p.Link)
		default:
			fmt.Fprintf(&b, "%s\n\n", p.Text)
		}
	}
	fmt.Fprintf(&b, "-- \n%s\n", l.Footer)
	if l.Stop != "" {
		fmt.Fprintf(&b, "%s\n%s\n", l.StopLabel, l.Stop)
	}
	return b.String()
}
