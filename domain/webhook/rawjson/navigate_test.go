package rawjson_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/webhook/rawjson"
)

func TestAMemberIsFoundWithoutDecodingTheRest(t *testing.T) {
	object := `{"a": {"a": 1}, "a-b":[1, 2 ], "\u0063":"x", "d":1,"d":2, "é":null,"":3}`
	for key, want := range map[string]string{"a": `{"a": 1}`, "a-b": "[1, 2 ]", "c": `"x"`, "d": "2", "é": "null", "": "", "e": ""} {
		if got := string(rawjson.Member([]byte(object), key)); got != want {
			t.Errorf("%q is %s, want %s", key, got, want)
		}
	}
	for _, text := range []string{"", "[]", `"a"`, `{"a":1`, `{"a":1}x`} {
		if got := rawjson.Member([]byte(text), "a"); got != nil {
			t.Errorf("in %s a is %s", text, got)
		}
	}
}

func elements(text string) string {
	var all []string
	for e := range rawjson.Elements([]byte(text)) {
		all = append(all, string(e))
	}
	return strings.Join(all, "|")
}

func TestTheElementsOfAnArrayAreFoundInOrder(t *testing.T) {
	for text, want := range map[string]string{
		` [1, "a,]" ,[2,[3]],{"x":[4]}, null]`: `1|"a,]"|[2,[3]]|{"x":[4]}|null`,
		"[]":                                   "", "[ ]": "", "{}": "", "": "", "1": "", "[1,": "1", "[1 2]": "1", "[x]": "",
	} {
		if got := elements(text); got != want {
			t.Errorf("%s has %s, want %s", text, got, want)
		}
	}
	for range rawjson.Elements([]byte("[1,2]")) {
		break
	}
}

func FuzzNavigate(f *testing.F) {
	f.Add(`{"a":{"b":[1,2]},"a":3}`, "a")
	f.Add(`[[],{},"\u0061"]`, "x")
	f.Fuzz(func(t *testing.T, text, key string) {
		var object map[string]json.RawMessage
		if got := rawjson.Member([]byte(text), key); json.Unmarshal([]byte(text), &object) == nil && object != nil && key != "" {
			if _, repeated := object[key]; string(got) != strings.TrimSpace(string(object[key])) && repeated {
				t.Errorf("%q of %s is %s, want %s", key, text, got, object[key])
			}
		}
		var array []json.RawMessage
		if json.Unmarshal([]byte(text), &array) == nil && array != nil {
			var want []string
			for _, e := range array {
				want = append(want, strings.TrimSpace(string(e)))
			}
			if got := elements(text); got != strings.Join(want, "|") {
				t.Errorf("%s has %s", text, got)
			}
		}
	})
}
