package mailer

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// maxParam bounds a parameter in a mail, in characters.
const maxParam = 300

// templateData is what templates read of a message. Its exported methods are their
// vocabulary.
type templateData struct {
	message message.Message
	words   language
	err     error
	// subject is set for the subject, which holds fewer of people's words: left is how many
	// characters.
	subject bool
	left    int
}

func newTemplateData(m message.Message, lang user.Lang) *templateData {
	return &templateData{message: m, words: languages[lang]}
}

// Code reports whether the message has a code.
func (d *templateData) Code() bool { return d.message.Code != "" }

// Param returns a parameter on one line, "" if the message lacks it. What the template
// function "money" formats is an amount, which has a text, too.
func (d *templateData) Param(name string) any {
	text := d.text(name)
	if text == "" || !slices.Contains(message.AmountParams(), name) {
		return text
	}
	c, _ := money.ParseCurrency(d.message.Params[message.ParamCurrency]) // without one it is the default
	return amount{text, c}
}

// maxSubjectParam bounds what is not a title in a subject, in characters, so that there is room for
// one.
const maxSubjectParam = 30

func (d *templateData) text(name string) string {
	s := cleanParam(d.message.Params[name])
	if !d.subject || slices.Contains(message.AmountParams(), name) {
		return s
	}
	most := d.left
	if name != message.ParamBook && name != message.ParamAbout {
		most = min(most, maxSubjectParam)
	}
	s = message.SubjectWords(s, most)
	d.left -= utf8.RuneCountInString(s)
	return s
}

// item is one book that a mail lists.
type item struct {
	Book, Course string // the title is quoted
	Price        any    // as that of Param
}

// Count returns how many books a mail of several is about, as a text; "" if it is about one.
func (d *templateData) Count() string {
	n := d.count()
	if n < 2 && (n < 1 || d.message.Params[message.ParamBook] != "") {
		return ""
	}
	return strconv.Itoa(n)
}

func (d *templateData) count() int {
	n, err := strconv.Atoi(d.message.Params[message.ParamMore])
	if err != nil || n < 0 {
		n = 0
	}
	if d.message.Params[message.ParamBook] != "" {
		n++
	}
	return n
}

// Items returns the books that the mail lists.
func (d *templateData) Items() (all []item) {
	listed := message.SplitItems(d.message.Params[message.ParamItems])
	if len(listed) == 0 && d.message.Params[message.ParamBook] != "" { // a mail from before there were lists
		p := d.message.Params
		listed = []message.Item{{Title: p[message.ParamBook], Course: p[message.ParamCourse], Price: p[message.ParamPrice]}}
	}
	c, _ := money.ParseCurrency(d.message.Params[message.ParamCurrency])
	for _, l := range listed[:min(len(listed), message.DigestItems)] {
		i := item{Book: d.words.quote(cleanParam(l.Title)), Course: cleanParam(l.Course)}
		if l.Price != "" {
			i.Price = amount{cleanParam(l.Price), c}
		}
		all = append(all, i)
	}
	return all
}

// Rest returns how many books the mail is about beside Items, as a text; "" if none.
func (d *templateData) Rest() string {
	listed := len(d.Items())
	if n := d.count() - listed; listed > 0 && n > 0 {
		return strconv.Itoa(n)
	}
	return ""
}

// Book returns the quoted title, or "The book" if the message has none.
func (d *templateData) Book() string {
	if title := d.text(message.ParamBook); title != "" {
		return d.words.quote(title)
	}
	return d.words.theBook
}

// Device returns browser and operating system, as far as they are known.
func (d *templateData) Device() string {
	known := make([]string, 0, 2)
	for _, name := range []string{message.ParamBrowser, message.ParamSystem} {
		if v := d.text(name); v != "" {
			known = append(known, v)
		}
	}
	if len(known) == 0 {
		return ""
	}
	return strings.Join(known, ", ") + "."
}

// Life returns how long the code or link is valid, "" if it does not expire.
func (d *templateData) Life() string {
	if d.message.ExpiresAt.IsZero() {
		return ""
	}
	return d.words.formatDuration(d.message.ExpiresAt.Sub(d.message.CreatedAt))
}

// cleanParam makes one line of text that a person wrote. It removes control and hidden
// characters, which could forge a header or a part, and cuts the text at maxParam.
func cleanParam(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError:
			return -1
		case unicode.IsControl(r), unicode.IsSpace(r):
			return ' '
		}
		return r
	}, text.StripHidden(s))
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > maxParam {
		return string(runes[:maxParam-1]) + "…"
	}
	return s
}
