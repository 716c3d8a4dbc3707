package openapi_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"pgregory.net/rapid"

	"github.com/octavo-books/octavo/adapters/rest/openapi"
)

// lax returns formats that accept every value.
func lax() openapi.Formats {
	formats := openapi.Formats{}
	for _, name := range []string{"text", "line", "lines", "free", "address", "isbn", "money", "price", "day", "date-time", "double", "binary", "handover", "moment"} {
		formats[name] = func(any) string { return "" }
	}
	return formats
}

func load(t *testing.T) (*openapi.Document, []byte) {
	t.Helper()
	text, err := os.ReadFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	d, err := openapi.Load(text, lax())
	if err != nil {
		t.Fatal(err)
	}
	return d, text
}

// The checks are our own because of their messages. Another implementation of the standard
// must accept and refuse the same bodies.
func TestChecksAgreeWithAnotherImplementation(t *testing.T) {
	d, text := load(t)
	other, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range d.Schemas {
		if !strings.HasSuffix(name, "Body") {
			continue
		}
		theirs := other.Components.Schemas[name].Value
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			body := map[string]any{}
			for _, field := range slices.Sorted(maps.Keys(s.Fields)) {
				if rapid.IntRange(0, 9).Draw(t, "given") > 0 {
					body[field] = value(t, s.Fields[field])
				}
			}
			problems := s.CheckBody(body)
			if err := theirs.VisitJSON(plain(t, body)); (err == nil) != (len(problems) == 0) {
				t.Fatalf("%v: we return %v, the other implementation %v", body, problems, err)
			}
		}))
	}
}

// value draws something that is often right, else wrong.
func value(t *rapid.T, s *openapi.Schema) any {
	if s.OneOf != nil { // its format decides, not the schema
		return "2026-09-01"
	}
	if rapid.IntRange(0, 4).Draw(t, "any") == 0 {
		return rapid.SampledFrom([]any{nil, true, "", "text", json.Number("1"), json.Number("-5"), json.Number("0.5"), []any{}, []any{json.Number("1")}, map[string]any{}}).Draw(t, "value")
	}
	switch s.Type {
	case "string":
		if s.Enum != nil {
			return rapid.SampledFrom(append([]string{"none of them"}, s.Enum...)).Draw(t, "enum")
		}
		return strings.Repeat("𝛼", rapid.SampledFrom([]int{0, 1, 2, s.MaxLength, s.MaxLength + 1}).Draw(t, "length"))
	case "integer", "number":
		return rapid.SampledFrom([]json.Number{"0", "1", "62", "1000", "1001", "10000", "36500", "36501"}).Draw(t, "number")
	case "boolean":
		return rapid.Bool().Draw(t, "boolean")
	case "array":
		return slices.Repeat([]any{"1"}, rapid.SampledFrom([]int{0, 1, 1000, 1001}).Draw(t, "items"))
	}
	return nil
}

// plain is the body as encoding/json would have decoded it.
func plain(t *rapid.T, body map[string]any) any {
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

const head = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\n"

func TestADocumentThatCannotBeEnforcedIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"an unknown keyword":          head + "components: {schemas: {A: {type: string, pattern: x}}}",
		"an unknown format":           head + "components: {schemas: {A: {type: string, format: uuid}}}",
		"a dead reference":            head + "components: {schemas: {A: {type: array, items: {$ref: '#/components/schemas/B'}}}}",
		"a dead parameter":            head + "paths: {/a: {get: {operationId: a, parameters: [{$ref: '#/components/parameters/B'}]}}}",
		"a body that is no JSON":      head + "paths: {/a: {post: {operationId: a, requestBody: {content: {text/plain: {schema: {type: string}}}}}}}",
		"a field that is given twice": head + "components: {schemas: {A: {type: object, properties: {a: {type: string}, a: {type: boolean}}}}}",
		"no YAML":                     "a: [",
	} {
		if _, err := openapi.Load([]byte(text), lax()); err == nil {
			t.Errorf("%s was loaded", name)
		}
	}
}

func TestMessagesSayWhatIsAllowed(t *testing.T) {
	d, err := openapi.Load([]byte(head+`
components:
  schemas:
    A:
      type: object
      required: [must]
      properties:
        must: {type: string}
        range: {type: integer, minimum: 1, maximum: 9}
        length: {type: string, minLength: 2, maxLength: 3}
        most: {type: string, maxLength: 3}
        grade: {type: string, enum: [Good, Poor], x-any-case: true}
        flag: {type: boolean}
        list: {type: array, maxItems: 2, items: {type: string}}
        price: {type: number}
`), lax())
	if err != nil {
		t.Fatal(err)
	}
	for field, c := range map[string]struct {
		v   any
		why string
	}{
		"range": {json.Number("10"), "Must be a whole number from 1 to 9."}, "length": {"x", "Must be 2 to 3 characters."},
		"most": {"four", "Must be at most 3 characters."}, "grade": {"fine", "Must be one of Good, Poor."},
		"flag": {"true", "Must be true or false."}, "price": {"1", "Must be a number."}, "must": {nil, "Must not be null."},
		"list": {[]any{"a", json.Number("1")}, "Entry 2: Must be text."}, "Flag": {true, "Please write this field as flag."},
	} {
		body := map[string]any{"must": "x"}
		body[field] = c.v
		if got := d.Schemas["A"].CheckBody(body); !maps.Equal(got, openapi.Problems{field: c.why}) {
			t.Errorf("%s: %v", field, got)
		}
	}
	if got := d.Schemas["A"].CheckBody(map[string]any{"grade": "pOOR"}); !maps.Equal(got, openapi.Problems{"must": "This field is missing."}) {
		t.Errorf("got %v", got)
	}
}
