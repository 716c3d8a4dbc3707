package openapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Format checks a decoded JSON value, with numbers as json.Number. It returns a sentence that
// says what is wrong, "" for a valid value.
type Format func(v any) string

// Formats are the checks behind the format keywords. "text" is applied to every
// text without a format.
type Formats map[string]Format

// Problems name each offending field and say why.
type Problems map[string]string

// CheckBody checks a decoded object, with numbers as json.Number. It ignores unknown fields,
// unless they differ from a known one only in case.
func (s *Schema) CheckBody(body map[string]any) Problems {
	p := Problems{}
	for name, field := range s.Fields {
		v, given := body[name]
		switch {
		case given:
			p.note(name, field.Check(v))
			field.checkObjects(name, v, p)
		case s.Needs(name):
			p.note(name, "This field is missing.")
		}
	}
	s.misspelled(body, p)
	return p
}

func (p Problems) note(field, why string) {
	if why != "" {
		p[field] = why
	}
}

// misspelled finds fields that would be silently ignored because of their case.
func (s *Schema) misspelled(body map[string]any, p Problems) {
	for given := range body {
		for name := range s.Fields {
			if given != name && strings.EqualFold(given, name) {
				p.note(given, "Please write this field as "+name+".")
			}
		}
	}
}

// CheckText checks the text of a parameter.
func (s *Schema) CheckText(text string) string {
	if s.Type == "integer" || s.Type == "number" {
		return s.Check(json.Number(text))
	}
	if s.Type == "boolean" && (text == "true" || text == "false" || text == "1" || text == "0") {
		return ""
	}
	return s.Check(text)
}

// checkObjects checks an object, or the objects of a list. The names of their fields begin with its name, or with the place
// in the list, as in keys.auth and books[1].price.
func (s *Schema) checkObjects(name string, list any, p Problems) {
	if object, ok := list.(map[string]any); ok && s.Type == "object" {
		for field, why := range s.CheckBody(object) {
			p.note(name+"."+field, why)
		}
		return
	}
	items, ok := list.([]any)
	if !ok || s.Items == nil || s.Items.Type != "object" || p[name] != "" {
		return
	}
	for i, item := range items {
		object, _ := item.(map[string]any)
		for field, why := range s.Items.CheckBody(object) {
			p.note(fmt.Sprintf("%s[%d].%s", name, i, field), why)
		}
	}
}

// Check returns a sentence that says what is wrong with v, "" if it is valid.
func (s *Schema) Check(v any) string {
	if v == nil {
		if s.Nullable {
			return ""
		}
		return "Must not be null."
	}
	why := s.checkType(v)
	if why == "" && s.check != nil {
		why = s.check(v)
	}
	return why
}

func (s *Schema) checkType(v any) string {
	switch s.Type {
	case "string":
		return s.checkString(v)
	case "integer":
		return s.checkInteger(v)
	case "number":
		return s.checkNumber(v)
	case "boolean":
		if _, ok := v.(bool); !ok {
			return "Must be true or false."
		}
	case "array":
		return s.checkArray(v)
	case "object":
		if _, ok := v.(map[string]any); !ok {
			return "Must be an object."
		}
	}
	return "" // of several types: its format decides
}

func (s *Schema) checkString(v any) string {
	text, ok := v.(string)
	switch {
	case !ok:
		return "Must be text."
	case !utf8.ValidString(text):
		return "Must be valid UTF-8."
	case s.Enum != nil && !s.allows(text):
		return "Must be one of " + strings.Join(s.Enum, ", ") + "."
	}
	n := utf8.RuneCountInString(text)
	if n >= s.MinLength && (s.MaxLength == 0 || n <= s.MaxLength) {
		return ""
	}
	switch {
	case s.MaxLength == 0 && s.MinLength == 1:
		return "Must not be empty."
	case s.MaxLength == 0:
		return fmt.Sprintf("Must be at least %d characters.", s.MinLength)
	case s.MinLength == 0:
		return fmt.Sprintf("Must be at most %d characters.", s.MaxLength)
	}
	return fmt.Sprintf("Must be %d to %d characters.", s.MinLength, s.MaxLength)
}

func (s *Schema) allows(text string) bool {
	return slices.ContainsFunc(s.Enum, func(e string) bool {
		return e == text || s.AnyCase && strings.EqualFold(e, text)
	})
}

// checkInteger accepts one spelling of each number: if 01 and +1 were 1, one object would have
// many addresses.
func (s *Schema) checkInteger(v any) string {
	number, ok := v.(json.Number)
	n, err := strconv.ParseInt(string(number), 10, 64)
	switch {
	case !ok || err != nil || strconv.FormatInt(n, 10) != string(number):
		return "Must be a whole number" + s.bounds() + "."
	case s.Enum != nil && !s.allows(strconv.FormatInt(n, 10)):
		return "Must be one of " + strings.Join(s.Enum, ", ") + "."
	case !s.within(float64(n)):
		return "Must be a whole number" + s.bounds() + "."
	}
	return ""
}

// checkNumber accepts the numbers of JSON, in parameters too. It compares the bounds with the
// number as a float, which is exact enough for them; the format checks the rest.
func (s *Schema) checkNumber(v any) string {
	number, ok := v.(json.Number)
	n, err := strconv.ParseFloat(string(number), 64)
	if !ok || err != nil || !json.Valid([]byte(number)) || !s.within(n) {
		return "Must be a number" + s.bounds() + "."
	}
	return ""
}

func (s *Schema) within(n float64) bool {
	return (s.Minimum == nil || n >= *s.Minimum) && (s.Maximum == nil || n <= *s.Maximum)
}

func (s *Schema) bounds() string {
	switch {
	case s.Minimum == nil || s.Maximum == nil:
		return ""
	default:
		return " from " + number(*s.Minimum) + " to " + number(*s.Maximum)
	}
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func (s *Schema) checkArray(v any) string {
	items, ok := v.([]any)
	if !ok {
		return "Must be a list."
	}
	if s.MaxItems > 0 && len(items) > s.MaxItems {
		return fmt.Sprintf("Must have at most %d entries.", s.MaxItems)
	}
	for i, item := range items {
		if why := s.Items.Check(item); why != "" {
			return fmt.Sprintf("Entry %d: %s", i+1, why)
		}
	}
	return ""
}
