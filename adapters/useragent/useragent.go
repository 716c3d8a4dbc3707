// Package useragent parses User-Agent headers.
package useragent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mileusna/useragent"
	"github.com/octavo-books/octavo/domain/session"
)

// maxUserAgent limits the input and maxName each result, in bytes.
const (
	maxUserAgent = 512
	maxName      = 60
)

// Parse returns browser, system and model of a header. Fields stay empty if it does not say them.
func Parse(text string) session.Device {
	if len(text) > maxUserAgent {
		text = strings.ToValidUTF8(text[:maxUserAgent], "")
	}
	if strings.TrimSpace(text) == "" {
		return session.Device{}
	}
	ua := useragent.Parse(text)
	d := session.Device{Browser: name(ua.Name), OS: name(ua.OS), Model: name(ua.Device)}
	switch {
	case d.Model != "":
	case ua.Tablet:
		d.Model = "Tablet"
	case ua.Mobile:
		d.Model = "Phone"
	case ua.Desktop:
		d.Model = "Computer"
	case ua.Bot:
		d.Model = "Bot"
	}
	return d
}

// name removes control characters and truncates.
func name(s string) string {
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s))
	if len(s) > maxName {
		s = strings.ToValidUTF8(s[:maxName], "")
	}
	return s
}
