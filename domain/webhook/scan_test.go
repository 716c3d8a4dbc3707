package webhook_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

func TestTheActionIsFoundAnywhereInTheObject(t *testing.T) {
	for payload, want := range map[string]string{
		`{"action":"opened"}`:                     "opened",
		"\t{ \"action\" :\r\n\"opened\" } ":       "opened",
		`{"number":1,"action":"opened","x":[{}]}`: "opened",
		`{}`:                             "",
		` { } `:                          "",
		`{"sender":{"action":"opened"}}`: "",
		`{"list":["action",{"action":"opened"}]}`:             "",
		`{"Action":"opened","ACTION":"closed"}`:               "",
		`{"actions":"opened","actio":"closed"}`:               "",
		`{"\u0061ction":"opened"}`:                            "opened",
		`{"\u0061\u0063\u0074\u0069\u006f\u006E":"opened"}`:   "opened",
		`{"action\u0000":"opened"}`:                           "",
		`{"\u0061ctions":"opened"}`:                           "",
		`{"action":"\u006fpened"}`:                            "opened",
		`{"action":"a\"b\\c\/\b\f\n\r\té"}`:                   "a\"b\\c/\b\f\n\r\té",
		`{"action":"opened","action":"closed"}`:               "closed",
		`{"action":"opened","action":5}`:                      "",
		`{"action":{"action":"opened"}}`:                      "",
		`{"action":null,"action":"closed"}`:                   "closed",
		`{"action":["opened"]}`:                               "",
		`{"action":""}`:                                       "",
		`{"a":-0.5e+10,"b":0,"c":1E3,"d":12.25,"action":"x"}`: "x",
	} {
		got, err := webhook.Scan([]byte(payload))
		if err != nil || got != want {
			t.Errorf("Scan(%s) = %q, %v; want %q", payload, got, err, want)
		}
	}
}

func TestAPayloadThatIsNotOneObjectIsRefused(t *testing.T) {
	for _, payload := range []string{
		"", " ", "5", "true", "null", `"str"`, "[]", `[{"action":"opened"}]`, "\ufeff{}", "\x00{}",
		"{", "}", "{}{}", "{} x", "{},", `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{a:1}`, `{'a':1}`, `{1:1}`,
		`{"a" 1}`, `{"a":1 "b":2}`, `{"a":1;}`, `{"a":[1,]}`, `{"a":[,]}`, `{"a":[1}`, `{"a":{"b":1]}`, `{"a":[1 2]}`,
		`{"a":{"b"}}`, `{"a":{,}}`, `{"a":{"b":1,}}`, `{"a":[`, `{"a":{`, `{"a":[]`, `{"a":{"b":[]`,
		`{"a":01}`, `{"a":-}`, `{"a":+1}`, `{"a":.5}`, `{"a":1.}`, `{"a":1e}`, `{"a":1e+}`, `{"a":0x1}`, `{"a":NaN}`, `{"a":- 1}`,
		`{"a":tru}`, `{"a":True}`, `{"a":nul`, `{"a":falsey}`, `{"a":undefined}`,
		`{"a":"`, `{"a":"x`, `{"a":"\`, `{"a":"\x"}`, `{"a":"\u12g4"}`, `{"a":"\u12`, `{"a":"\U0041"}`,
		"{\"a\":\"tab\there\"}", "{\"a\":\"line\nhere\"}", "{\"a\x01\":1}", "{\"a\":\"123456\x1f\"}",
		"{/**/}", "{\"a\":1} // end", "{\v}", "{\u00a0}",
	} {
		if action, err := webhook.Scan([]byte(payload)); !errors.Is(err, webhook.ErrPayload) || action != "" {
			t.Errorf("Scan(%q) = %q, %v; want ErrPayload", payload, action, err)
		}
	}
}

func TestInvalidUTF8InAStringIsAcceptedAsEncodingJSONDoes(t *testing.T) {
	for _, payload := range []string{"{\"a\":\"\xff\xfe\"}", "{\"\xc0\":1}", `{"a":"\ud800"}`, "{\"a\":\"x\x7f\"}"} {
		if _, err := webhook.Scan([]byte(payload)); err != nil || !json.Valid([]byte(payload)) {
			t.Errorf("Scan(%q): %v", payload, err)
		}
	}
	action, err := webhook.Scan([]byte("{\"action\":\"o\xffk\"}"))
	if err != nil || action != "o\ufffdk" {
		t.Errorf("an invalid byte in the action gives %q, %v", action, err)
	}
}

func TestNestingIsLimitedAsInEncodingJSON(t *testing.T) {
	nest := func(levels int) []byte { // including the object itself
		return []byte(`{"a":` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1) + `,"action":"deep"}`)
	}
	if action, err := webhook.Scan(nest(10_000)); err != nil || action != "deep" {
		t.Errorf("10,000 levels: %q, %v; want \"deep\"", action, err)
	}
	must.Refuse(t, must.Err(webhook.Scan(nest(10_001))), webhook.ErrPayload, "10,001 levels")
	if json.Valid(nest(10_001)) || !json.Valid(nest(10_000)) {
		t.Error("encoding/json has another limit by now")
	}
	open := []byte(strings.Repeat(`{"a":`, 1_000_000))
	must.Refuse(t, must.Err(webhook.Scan(open)), webhook.ErrPayload, "a million open objects")
}

func TestScanningAllocatesOnlyTheAction(t *testing.T) {
	payload := []byte(`{"action":"opened","issue":{"title":"` + strings.Repeat("long ", 1000) + `","ns":[1,2,{"a":null}]}}`)
	if n := testing.AllocsPerRun(100, func() { _, _ = webhook.Scan(payload) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func TestAnErrorGivesTheOffset(t *testing.T) {
	_, err := webhook.Scan([]byte(`{"a":tru}`))
	if err == nil || !strings.Contains(err.Error(), "byte 5 of 9") {
		t.Errorf("got %v", err)
	}
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"action":"opened"}`, `{"\u0061ction":"x","b":[1,-2.5e3,{"c":{}}]}`, `5`, `"str"`, `{"a":"\ud83d\ude00"}`,
		`{"a":{"b":[{"action":true}]},"action":"\n"}`, "{\"k\":\"\xff\"}", `{"action":"a","action":null}`, `[{]}`, `{"":""}`,
		`{"abcdefgh":"abcdefg\\","action":"12345678"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		got, err := webhook.Scan(payload)
		want, valid := oracle(payload)
		if valid != (err == nil) || got != want {
			t.Fatalf("Scan(%q) = %q, %v; encoding/json says %q, %v", payload, got, err, want, valid)
		}
	})
}

// oracle computes with encoding/json what Scan must return.
func oracle(payload []byte) (action string, valid bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(payload, &members) != nil || members == nil {
		return "", false
	}
	if raw := members["action"]; len(raw) > 0 && raw[0] == '"' {
		_ = json.Unmarshal(raw, &action)
	}
	return action, true
}
