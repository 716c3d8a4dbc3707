package inspector

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// jsonValue draws a value of JSON.
func jsonValue(t *rapid.T, depth int) any {
	kinds := []string{"text", "number", "word"}
	if depth < 6 {
		kinds = append(kinds, "list", "object", "object")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "text":
		return rapid.String().Draw(t, "text")
	case "number":
		return rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
	case "word":
		return rapid.SampledFrom([]any{true, false, nil}).Draw(t, "word")
	case "list":
		list := []any{}
		for range rapid.IntRange(0, 4).Draw(t, "length") {
			list = append(list, jsonValue(t, depth+1))
		}
		return list
	}
	object := map[string]any{}
	for range rapid.IntRange(0, 4).Draw(t, "fields") {
		object[rapid.String().Draw(t, "name")] = jsonValue(t, depth+1)
	}
	return object
}

func TestPrettyJSONHasTheSameValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var payload bytes.Buffer
		encoder := json.NewEncoder(&payload)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", strings.Repeat(" ", rapid.IntRange(0, 3).Draw(t, "indent")))
		if err := encoder.Encode(jsonValue(t, 0)); err != nil {
			t.Fatal(err)
		}
		shown, cut := pretty(payload.Bytes(), 1<<20)
		var want, got any
		if err := json.Unmarshal(payload.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(shown), &got); cut || err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s is shown as\n%s\n%v", payload.Bytes(), shown, err)
		}
	})
}

func TestPrettyTextIsBoundedAndPrintableWhateverTheBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payload := rapid.OneOf(rapid.SliceOf(rapid.Byte()), rapid.SliceOf(rapid.SampledFrom([]byte("{}[],:\"\\ \n1\x00\xe2\x80\xae")))).Draw(t, "payload")
		shown, cut := pretty(payload, 64)
		if !utf8.ValidString(shown) || len(shown) > 64*6+400 || strings.ContainsAny(shown, "\x00\u202e") {
			t.Fatalf("%q is shown as %q", payload, shown)
		}
		if whole, _ := pretty(payload, 1<<20); !cut && whole != shown {
			t.Fatalf("%q is shown as %q, not as %q", payload, shown, whole)
		}
	})
}
