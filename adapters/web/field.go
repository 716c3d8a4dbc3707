package web

import (
	"net/url"
	"slices"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// form is what people fill in. Its words are English and translated when it is
// shown.
type form struct {
	Action, Button string
	Asks           bool // only asks for another page, and changes nothing
	Hidden         []hidden
	Fields         []field
	Trouble        string // said above the fields, translated already
}

type hidden struct{ Name, Value string }

// field is one question of a form.
type field struct {
	Name, Label, Hint string
	Type              string // of the input; "lines" for many of them, "choice" for one of Options, "check" for yes or nothing
	Value             string
	Trouble           string // translated already
	Auto              string // what a browser may fill in
	Mode              string // which keys a phone shows
	Max               int    // characters
	Optional          bool
	First             bool // of those in trouble: a keyboard begins there
	Options           []option
}

// option is one of a choice, or a link; More explains it.
type option struct{ Value, Label, More string }

// filled puts in what was typed. Passwords are never given back.
func (f form) filled(values url.Values) form {
	f.Fields = slices.Clone(f.Fields)
	for i := range f.Fields {
		if q := &f.Fields[i]; q.Type != "password" && values.Has(q.Name) {
			q.Value = values.Get(q.Name)
		}
	}
	return f
}

// blamed puts a refusal where it belongs: beside the fields that it names, and
// above them all.
func (f form) blamed(lang user.Lang, err error) form {
	f.Trouble = sentence(lang, err)
	refusal := fault.As(err)
	if refusal == nil {
		return f
	}
	f.Fields = slices.Clone(f.Fields)
	first := true
	for i := range f.Fields {
		if why, ok := refusal.Fields[f.Fields[i].Name]; ok {
			f.Fields[i].Trouble, f.Fields[i].First = httpx.FieldMessage(say(lang, why)), first
			first = false
		}
	}
	return f
}
