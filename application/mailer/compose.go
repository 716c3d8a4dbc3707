package mailer

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	texttemplate "text/template"
	"unicode"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// part is a paragraph of text, a code, or a link with a label.
type part struct{ Text, Code, Link, Label string }

// content is a mail before it becomes text and HTML, which therefore say the same.
type content struct {
	Lang      user.Lang
	Service   string
	Subject   string
	Greeting  string
	Picture   *shown // in the HTML alone; nil: none
	Parts     []part
	Footer    string
	Stop      string
	StopLabel string
}

// errNoSubject means that the output of a template does not begin with a subject.
var errNoSubject = errors.New(`the first line is not "Subject: " and a text`)

// compose writes a message in its language, or in English if there are no templates in
// that language. It returns ErrPermanent for a kind without a template.
func (t *Templates) compose(m message.Message) (content, error) {
	lang := t.language(m.Lang)
	w := writer{t.byLanguage[lang], newTemplateData(m, lang)}
	file := string(lang) + "/" + string(m.Kind) + ".tmpl"
	_, body, _ := strings.Cut(strings.TrimSpace(w.execute(file)), "\n")
	subject, found := t.subject(m, lang, file)
	if w.data.err == nil && (!found || strings.Contains(subject, "\x00")) {
		w.data.err = errNoSubject
	}
	c := content{
		Lang:      lang,
		Service:   t.identity.Name,
		Subject:   subject,
		Greeting:  line(w.execute("greeting")),
		Parts:     parts(body, m),
		Footer:    line(w.execute("footer")),
		Stop:      m.Params[message.ParamStop],
		StopLabel: line(w.execute("stop")),
	}
	if w.data.err != nil {
		return content{}, fmt.Errorf("%w: no template for %s: %w", ErrPermanent, m.Kind, w.data.err)
	}
	return c, nil
}

// subject returns the subject of a message, which holds few of people's words and makes no link of
// them: the recipient takes it for the words of the service.
func (t *Templates) subject(m message.Message, lang user.Lang, file string) (subject string, found bool) {
	w := writer{t.byLanguage[lang], newTemplateData(m, lang)}
	w.data.subject, w.data.left = true, message.MaxSubjectWords
	first, _, _ := strings.Cut(strings.TrimSpace(w.execute(file)), "\n")
	return strings.CutPrefix(line(first), "Subject: ")
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

// line joins a text to one line: a line break in a subject would start another header.
// It keeps no-break spaces, which strings.Fields would not.
func line(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) && r != '\u00a0' && r != '\u202f'
	}), " ")
}

// parts splits the body of a mail at its blank lines. A code or link that the message
// lacks has no part.
func parts(body string, m message.Message) []part {
	var parts []part
	for paragraph := range strings.SplitSeq(body, "\n\n") {
		paragraph = line(paragraph)
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

func (t *Templates) html(c content) (string, error) {
	var b bytes.Buffer
	err := t.layout.Execute(&b, c)
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
