package webhook

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/webhook/rawjson"
)

// The kinds of bodies that a sender may have.
const (
	bodyObject = "object" // a JSON object
	bodyArray  = "array"  // a JSON array
	bodyForm   = "form"   // application/x-www-form-urlencoded
	bodyText   = "text"   // anything else
)

var bodyKinds = []string{bodyObject, bodyArray, bodyForm, bodyText}

// mediaType returns the content type in lower case, without parameters, "" if it is not
// given exactly once.
func (r Request) mediaType() string {
	kind, _, _ := strings.Cut(r.header("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

const formType = "application/x-www-form-urlencoded"

// TakesType reports whether the sender has bodies of the request's content type:
// application/json for objects and arrays, unless the sender calls its JSON something
// else.
func (s *Sender) TakesType(r Request) bool {
	s = s.orHost()
	switch r.mediaType() {
	case "application/json":
		return s.takes(bodyObject) || s.takes(bodyArray) || s.takes(bodyText)
	case formType:
		return s.takes(bodyForm) || s.takes(bodyText)
	}
	return s.anyType || s.takes(bodyText)
}

func (s *Sender) takes(kind string) bool {
	return slices.Contains(s.bodies, kind) || s.bodies == nil && kind == bodyObject
}

// TakesTypes names the content types of the sender, for people.
func (s *Sender) TakesTypes() string {
	s = s.orHost()
	var names []string
	if s.takes(bodyObject) || s.takes(bodyArray) {
		names = append(names, "application/json")
	}
	if s.takes(bodyForm) {
		names = append(names, formType)
	}
	return strings.Join(names, " or ")
}

// ScanPayload is Scan for a payload of the sender, which need not be a JSON object: an
// array, a form or text has no action. The error is an ErrPayload.
func (s *Sender) ScanPayload(payload []byte) (action string, err error) {
	s = s.orHost()
	if s.takes(bodyObject) {
		if action, err = Scan(payload); err == nil {
			return action, nil
		}
	}
	switch {
	case s.takes(bodyForm), s.takes(bodyText), s.takes(bodyArray) && isArray(payload):
		return "", nil
	case err == nil:
		err = fmt.Errorf("%w: it is not %s", ErrPayload, s.BodyKinds())
	}
	return "", err
}

// BodyKinds names the kinds of bodies of the sender, for people.
func (s *Sender) BodyKinds() string {
	names := map[string]string{bodyObject: "a JSON object", bodyArray: "a JSON array", bodyForm: "a form", bodyText: "a text"}
	var kinds []string
	for _, kind := range bodyKinds {
		if s.orHost().takes(kind) {
			kinds = append(kinds, names[kind])
		}
	}
	return strings.Join(kinds, " or ")
}

func isArray(payload []byte) bool {
	return rawjson.First(payload) == '[' && json.Valid(payload)
}

// checkBody refuses a body of another kind than its content type and the sender say.
func (s *Sender) checkBody(r Request) error {
	if r.mediaType() == formType && s.takes(bodyForm) {
		return s.checkForm(r)
	}
	_, err := s.ScanPayload(r.Body)
	return err
}

// checkForm refuses a malformed form of a sender that has forms.
func (s *Sender) checkForm(r Request) error {
	if r.mediaType() == formType && s.takes(bodyForm) && formFields(r.Body) == nil {
		return fmt.Errorf("%w: it is not a form of at most %d fields", ErrPayload, maxFields)
	}
	return nil
}

// maxFields limits the fields of a form.
const maxFields = 10_000

// isForm reports whether the body is a form. A signature of the fields says nothing about any
// other body.
func isForm(r Request) bool { return r.mediaType() == formType && formFields(r.Body) != nil }

// formFields parses a form, nil if it is malformed or has too many fields.
func formFields(body []byte) url.Values {
	if strings.Count(string(body), "&") >= maxFields {
		return nil
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil
	}
	return values
}

// appendSorted appends each field of a form, name and value, sorted by both; a value that
// is given twice counts once.
func appendSorted(into []byte, fields url.Values) []byte {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		values := slices.Clone(fields[name])
		slices.Sort(values)
		for _, value := range slices.Compact(values) {
			into = append(append(into, name...), value...)
		}
	}
	return into
}
