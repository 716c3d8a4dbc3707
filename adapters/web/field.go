package web

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// Form is an HTML form. Its texts are English; the templates translate them.
type Form struct {
	ID             string // of the element; "": none
	Action, Button string
	Second         *Option // a second button: Value is the path that it submits to
	UseGet         bool    // sent with GET, because it changes nothing
	Danger         bool    // takes something away, as its button shows
	Hidden         []Hidden
	Fields         []Field
	Error          string // shown above the fields, already translated
}

// Hidden is a value that a form sends along, which nobody sees.
type Hidden struct{ Name, Value string }

// Field is one input of a form.
type Field struct {
	Name, Label, Hint string
	Type              string // an input type, or "lines" for a textarea, "choice" for a select of Options, "grades" for pictured
	// radio buttons of them, "check" for a checkbox
	Value        string
	Error        string // already translated
	Read         string // how the value is read, already translated; "": as it is typed
	Autocomplete string // the autocomplete token
	InputMode    string // the inputmode of on-screen keyboards
	Max          int    // characters
	Barcode      bool   // an ISBN, which a script can scan
	Optional     bool
	Fixed        bool // shown, but not for editing
	Quiet        bool // does not say that it is optional
	First        bool // the first field with an error, which gets the focus
	Options      []Option
	Suggestions  []string // texts to choose from; others are allowed
}

// Option is an option of a select, or a link. More explains it.
type Option struct{ Value, Label, More string }

// WithValues returns the form with the submitted values. It never returns passwords.
func (f Form) WithValues(values url.Values) Form {
	f.Fields = slices.Clone(f.Fields)
	for i := range f.Fields {
		if field := &f.Fields[i]; field.Type != "password" && values.Has(field.Name) {
			field.Value = values.Get(field.Name)
		}
	}
	return f
}

// WithErrors returns the form with err above it and its reasons beside the fields.
func (f Form) WithErrors(lang user.Lang, err error) Form {
	f.Error = ErrorMessage(lang, err)
	refusal := fault.As(err)
	if refusal == nil {
		return f
	}
	f.Fields = slices.Clone(f.Fields)
	first := true
	for i := range f.Fields {
		if why, ok := refusal.Fields[f.Fields[i].Name]; ok {
			f.Fields[i].Error, f.Fields[i].First = httpx.FieldMessage(translateReason(lang, why)), first
			first = false
		}
	}
	return f
}

// WithFixed returns the form with a field that cannot be edited, and why.
func (f Form) WithFixed(name, why string) Form {
	f.Fields = slices.Clone(f.Fields)
	for i := range f.Fields {
		if f.Fields[i].Name == name {
			f.Fields[i].Fixed, f.Fields[i].Hint = true, why
		}
	}
	return f
}

// WithHint returns the form with another hint at a field, already translated.
func (f Form) WithHint(name, hint string) Form {
	f.Fields = slices.Clone(f.Fields)
	for i := range f.Fields {
		if f.Fields[i].Name == name {
			f.Fields[i].Hint = hint
		}
	}
	return f
}

// AtCampusOf returns the form with the university that the caller looks after filled in and
// fixed; unchanged for those who look after all.
func (f Form) AtCampusOf(by user.Caller) Form {
	if by.Campus() == "" {
		return f
	}
	f = f.WithFixed("university", "You look after this university.")
	for i := range f.Fields {
		if one := &f.Fields[i]; one.Name == "university" && !by.Oversees(one.Value) { // their spelling of its name stays
			one.Value = by.Campus()
		}
	}
	return f
}

// WithSuggestions returns the form with texts to choose from in a field.
func (f Form) WithSuggestions(name string, texts []string) Form {
	f.Fields = slices.Clone(f.Fields)
	for i := range f.Fields {
		if f.Fields[i].Name == name {
			f.Fields[i].Suggestions = texts
		}
	}
	return f
}

// ProviderLink leads to an external sign-in. Its label is not translated.
type ProviderLink struct{ Path, Label string }

// WithKey returns the form with the key of the submitted one, so that the same book is listed
// once, whether its preview or the page before is submitted.
func (f Form) WithKey(r *http.Request) Form {
	if key := r.PostForm.Get("key"); key != "" {
		f.Hidden = []Hidden{{"key", key}}
	}
	return f
}
