package webhook

import (
	"fmt"
	"strings"

	"github.com/octavo-books/octavo/domain/webhook/rawjson"
)

// Place is where a request has a text: a header, a path into a JSON body such as
// data.object.id or items.0.id, or a field of a form. Exactly one of the three is set.
// Strings and numbers count. Else is where to look if there is no text.
type Place struct {
	Header, JSON, Form string
	Else               *Place
}

// in reports whether the place is set.
func (p Place) isSet() bool { return p != Place{} }

// maxElse limits the places where a text is looked for.
const maxElse = 4

// places are compiled places in the order in which they are tried.
type places struct {
	list     []place
	fallback string // what is read if there is no text in any
	hash     bool   // the body's hash is read then
}

type place struct {
	header string
	path   rawjson.Path
	form   string
}

// compilePlaces compiles a place with what follows it. field names it in errors.
func compilePlaces(field string, p Place) (all places, err error) {
	for next := &p; next != nil && next.isSet(); next = next.Else {
		one, err := compilePlace(field, *next)
		if err != nil {
			return places{}, err
		}
		if all.list = append(all.list, one); len(all.list) > maxElse {
			return places{}, fmt.Errorf("webhook: %s has more than %d places", field, maxElse)
		}
	}
	return all, nil
}

func compilePlace(field string, p Place) (one place, err error) {
	given := 0
	for _, text := range []string{p.Header, p.JSON, p.Form} {
		if text != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return place{}, fmt.Errorf("webhook: %s needs exactly one of header, json and form", field)
	case p.Header != "":
		one.header, err = canonicalHeader(field, p.Header)
		return one, err
	case p.Form != "":
		return place{form: p.Form}, nil
	}
	if one.path, err = rawjson.ParsePath(p.JSON); err != nil {
		return place{}, fmt.Errorf("webhook: %s: %.100q %w", field, p.JSON, err)
	}
	return one, nil
}

// headers returns the headers one of which is required, nil if the text may also be
// somewhere else.
func (p places) headers() (names []string) {
	if p.hash || p.fallback != "" {
		return nil
	}
	for _, one := range p.list {
		if one.header == "" {
			return nil
		}
		names = append(names, one.header)
	}
	return names
}

// allHeaders returns every header in which the text may be.
func (p places) allHeaders() (names []string) {
	for _, one := range p.list {
		if one.header != "" {
			names = append(names, one.header)
		}
	}
	return names
}

// read returns the text, "" if there is none.
func (p places) read(r Request) string {
	for _, one := range p.list {
		if text := one.read(r); text != "" {
			return text
		}
	}
	if p.hash {
		return hashID(r.Body)
	}
	return p.fallback
}

func (p place) read(r Request) string {
	switch {
	case p.header != "":
		return r.header(p.header)
	case p.form != "":
		if values := formFields(r.Body)[p.form]; r.mediaType() == formType && len(values) == 1 {
			return values[0]
		}
		return ""
	}
	return p.path.Text(r.Body)
}

// String names the place for people.
func (p place) String() string {
	switch {
	case p.header != "":
		return "header " + p.header
	case p.form != "":
		return "form " + p.form
	}
	return "json " + strings.Join(p.path, ".")
}

func (p places) String() string {
	var texts []string
	for _, one := range p.list {
		texts = append(texts, one.String())
	}
	switch {
	case p.hash:
		texts = append(texts, "the body's hash")
	case p.fallback != "":
		texts = append(texts, p.fallback)
	}
	return strings.Join(texts, ", else ")
}
