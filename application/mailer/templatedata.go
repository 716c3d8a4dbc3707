package mailer

import (
	"slices"
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

func (d *templateData) text(name string) string { return cleanParam(d.message.Params[name]) }

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
