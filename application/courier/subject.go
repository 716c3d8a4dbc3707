package courier

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// longestParam bounds, in characters, what a mail quotes of other people's words.
const longestParam = 300

// subject is what the templates may ask about a message.
type subject struct {
	message message.Message
	tongue  tongue
	err     error
}

func subjectOf(m message.Message, lang user.Lang) *subject {
	if lang == user.FR {
		return &subject{message: m, tongue: french}
	}
	return &subject{message: m, tongue: english}
}

// Code reports whether there is one.
func (s *subject) Code() bool { return s.message.Code != "" }

// Param is a parameter on one line, "" where there is none.
func (s *subject) Param(name string) string { return clean(s.message.Params[name]) }

// Book is the title, in a way that fits into a sentence.
func (s *subject) Book() string {
	if title := s.Param(message.ParamBook); title != "" {
		return s.tongue.quote(title)
	}
	return s.tongue.aBook
}

// Device is browser and system, as far as they are known.
func (s *subject) Device() string {
	known := make([]string, 0, 2)
	for _, name := range []string{message.ParamBrowser, message.ParamSystem} {
		if v := s.Param(name); v != "" {
			known = append(known, v)
		}
	}
	if len(known) == 0 {
		return ""
	}
	return strings.Join(known, ", ") + "."
}

// Life is how long code or link works, "" for ever.
func (s *subject) Life() string {
	if s.message.ExpiresAt.IsZero() {
		return ""
	}
	return s.tongue.duration(s.message.ExpiresAt.Sub(s.message.CreatedAt))
}

// clean makes one line of what people wrote: no controls, no hidden characters, no
// more than longestParam characters.
func clean(s string) string {
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
	if runes := []rune(s); len(runes) > longestParam {
		return string(runes[:longestParam-1]) + "…"
	}
	return s
}
