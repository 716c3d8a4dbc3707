package expression_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/expression"
	"github.com/octavo-books/octavo/application/inbox"
)

const body = `{
	"action": "opened", "draft": false, "number": 7, "ratio": 7.0, "third": 0.3, "exact": 9007199254740993.0, "tiny": 1e-350, "big": 9007199254740993, "huge": 18446744073709551616, "endless": 1e999,
	"text": "7", "quoted": "\u00e9\"", "a-b": {"c d": [{"e": 1}, {"e": 2}]}, "nothing": null, "labels": ["bug", 3, null, ["x"]], "empty": "",
	"repository": {"full_name": "octavo/books", "private": true}, "event": "x", "not": 1, "big10": 12345678901234567890, "big11": 12345678901234567891, "long": 0.1000000000000000000001
}`

func facts(payload string) *inbox.Facts {
	return inbox.NewFacts(inbox.Delivery{Source: "ci", ID: "72d3", Event: "issues", Header: map[string]string{"X-Github-Event": "issues", "Content-Type": "application/json"}, Payload: []byte(payload)})
}

func matches(t *testing.T, text, payload string) bool {
	t.Helper()
	compiled, err := expression.Compile(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return compiled.Matches(facts(payload))
}

func TestAConditionThatHoldsMatches(t *testing.T) {
	for _, text := range []string{
		`true`, `event == "issues"`, `event == 'issues' && id == "72d3" && source != "shop"`, `event in ["push", "issues"]`,
		`payload.action == "opened"`, `payload["action"] == "opened"`, `!payload.draft`, `payload.draft == false`, `payload.repository.private`,
		`payload.number == 7`, `payload.number == 7.0`, `payload.ratio == 7`, `payload.third == 0.3`, `payload.number in [1, 7]`, `payload.ratio in [7]`,
		`payload.number > 6.5 && payload.number <= 7 && -1 < payload.number`, `1 < payload.number < 8`, `payload.action >= "open"`,
		`payload.big == 9007199254740993`, `payload.big != 9007199254740992`,
		`payload.big10 != payload.big11`, `payload.big10 < payload.big11`, `payload.big11 > payload.big10`, `payload.long == 0.1`, `payload.tiny == 0`,
		`payload.huge > 9223372036854775807`, `payload.huge == 18446744073709551616.0`, `payload.big10 != payload.huge`, `payload.big10 < payload.huge`,
		`payload["a-b"]["c d"][1].e == 2`, `payload["quoted"] == "é\""`, `payload.event == "x"`, `payload.not == 1`, `payload.empty == ""`,
		`payload.nothing == null`, `payload.nothing == nil`, `payload.action != null`, `payload.labels != null`, `null in payload.labels`,
		`"bug" in payload.labels`, `3.0 in payload.labels`, `!("x" in payload.labels)`, `"private" in payload.repository`, `"action" in payload`, `!("missing" in payload)`,
		`payload.text != 7`, `payload.action == "closed" || payload.number == 7`, `(payload.missing == 1) || true`, `payload.missing || event == "issues"`,
		"event == \"issues\"\n  && payload.number == 7 // a comment",
		`startsWith(payload.action, "open")`, `payload.action startsWith "open"`, `payload.action startsWith ("open")`, `!startsWith(payload.action, "x")`,
		`endsWith(payload.repository.full_name, "/books")`, `contains(payload.text, "7") && payload.action contains "pen"`, `!(payload.action endsWith "x")`,
		`matches(payload.action, "^open(ed)?$")`, `payload.action matches "ope"`, `startsWith("refs/heads/main", "refs/") || false`, `(startsWith(event, "iss"))`,
		`header["X-GitHub-Event"] == "issues"`, `header["x-github-event"] startsWith "iss"`, `header["x-github-event"] in ["push", "issues"]`,
		`payload.exact == payload.big`, `payload.third == 3e-1`,
	} {
		if !matches(t, text, body) {
			t.Errorf("%s does not match", text)
		}
	}
}

// A field that is missing, or has another type than the condition expects, never makes a
// condition true, whether it is negated or not.
func TestAConditionThatDoesNotHoldOrNeedsAMissingFieldDoesNotMatch(t *testing.T) {
	for _, text := range []string{
		`false`, `event == "push"`, `!(event == "issues")`, `payload.draft`, `payload.text == 7`, `payload.number == "7"`, `7 == payload.text`,
		`payload.missing == 1`, `payload.missing != 1`, `!(payload.missing == 1)`, `payload.missing`, `!payload.missing`, `payload.missing == null`, `payload.missing != null`,
		`payload.missing.deeper.still == 1`, `payload.action.deeper == 1`, `payload.number[0] == 1`, `payload.labels.x == 1`, `payload.labels[9] != 1`,
		`payload.missing in [1]`, `!(payload.missing in [1])`, `1 in payload.missing`, `!(1 in payload.missing)`, `!(1 in payload.action)`, `!(1 in payload.repository)`,
		`payload.missing < 1`, `!(payload.missing < 1)`, `payload.text < 8`, `!(payload.text < 8)`, `payload.nothing < 1`, `payload.draft < true`,
		`payload.missing && event == "issues"`, `!(payload.missing || false)`, `!payload.number`, `payload.number`, `payload.action && true`,
		`payload.labels == payload.labels`, `payload.repository != payload.repository`, `payload.endless > 1`, `payload.endless != 1`, `payload == 1`, `payload`,
		`startsWith(payload.missing, "x")`, `!startsWith(payload.missing, "x")`, `startsWith(payload.number, "7")`, `!(payload.number contains "7")`, `payload.action matches "^x"`,
		`header["X-Missing"] == "x"`, `header["X-Missing"] != "x"`, `header["X-Github-Event"] == 1`,
		`payload.big == 9007199254740992`, `payload.huge == 18446744073709551616.5e3`, `payload.Action == "opened"`, `payload.labels in payload.labels`,
	} {
		if matches(t, text, body) {
			t.Errorf("%s matches", text)
		}
	}
	for _, payload := range []string{"", "{", "[]", "null", "{\"a\":\xff}", strings.Repeat(`{"a":`, 100_000)} {
		if matches(t, `payload.a.a.a == 1 || !(payload.a[0] in [1])`, payload) {
			t.Errorf("%.20s matches", payload)
		}
	}
}

func TestAnErrorInAConditionSaysWhereItIs(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "empty",
		`payload.a ==`:                      "character 1",
		"event == \"push\" &&\n  id =":      "line 2",
		`action == "opened"`:                "payload.action",
		`event`:                             "character 1: a text is not a condition",
		`payload.a && 7`:                    "character 14: a number is not a condition",
		`event == 7`:                        "a text and a number cannot be compared",
		`"a" < 1`:                           "cannot be compared",
		`payload.a == [1]`:                  "on the right of in",
		`[1] == payload.a`:                  "on the right of in",
		`[1]`:                               "a list is not a condition",
		`1 in [[1]]`:                        "a list contains no list",
		`1 in 2`:                            "in needs a list",
		`"a" in event`:                      "in needs a list",
		`event.x == 1`:                      "only payload has fields",
		`payload?.a == 1`:                   "supports only",
		`payload[payload.a] == 1`:           "payload.key",
		`payload[""] == 1`:                  "payload.key",
		`payload[-1] == 1`:                  "payload.key",
		`payload.a + 1 == 2`:                "not supported",
		`payload.a ?? 1 == 2`:               "cannot be mixed",
		`event matches "("`:                 "not a regular expression of RE2",
		`matches(event, "(a{1000}){1000}")`: "not a regular expression of RE2",
		`event matches payload.a`:           "in quotes",
		`matches(event, "` + strings.Repeat("a", 1001) + `")`: "longer than 1000",
		`event contains 7`:                             "contains compares texts, not a number",
		`startsWith(event)`:                            "startsWith needs two texts",
		`payload.a.startsWith("x")`:                    "no functions",
		`header == "x"`:                                "one header is written",
		`header.a.b == "x"`:                            "one header is written",
		`payload.a = 1`:                                "character 11: = compares nothing, did you mean ==?",
		`1 in 1..9`:                                    "not supported",
		`event == "a" and true`:                        "write && in place of and",
		`not payload.a`:                                "write ! for not",
		`event not in ["a"]`:                           "write ! for not",
		`len(payload.a) == 1`:                          "no functions",
		`payload.a() == 1`:                             "no functions",
		`event | upper() == "A"`:                       "no functions",
		`all(payload.a, # > 1)`:                        "no functions",
		`let a = 1; a == 1`:                            "no functions",
		`true ? true : false`:                          "no functions",
		`{"a": 1} == payload`:                          "no functions",
		`payload.a[1:2] == 1`:                          "no functions",
		`b"x" == payload.a`:                            "no functions",
		`true; true`:                                   "no functions",
		`payload.a == 99999999999999999999`:            "integer",
		"event == \"\xff\"":                            "UTF-8",
		"payload" + strings.Repeat(".a", 17) + " == 1": "16 steps",
		"payload.a in [" + strings.Repeat("1,", 600) + "1]": "maximum",
		strings.Repeat(" ", 4001) + "true":                  "4000 bytes",
	} {
		_, err := expression.Compile(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

func TestDeepNestingIsAnErrorOrAnAnswerButNoCrash(t *testing.T) {
	for _, part := range []string{"(", "!", "[", "-", "payload[", "payload.a == (", "{a:", "a?", "true && (", "true ? "} {
		text := strings.Repeat(part, 4000/len(part))
		if _, err := expression.Compile(text); err == nil {
			t.Errorf("%.20s… is no mistake", text)
		}
	}
	deep := strings.Repeat("(", 400) + "true" + strings.Repeat(")", 400)
	if !matches(t, deep, body) || !matches(t, strings.Repeat("!", 100)+"true", body) {
		t.Error("parentheses change a condition")
	}
}

func TestALargePayloadIsSearchedWithoutDecodingIt(t *testing.T) {
	var list strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&list, "%d,", i)
	}
	payload := `{"list":[` + list.String() + `"last"],"after":{"x":1}}`
	compiled, err := expression.Compile(`"last" in payload.list && payload.after.x == 1 && payload.list[99999] == 99999`)
	if err != nil || !compiled.Matches(facts(payload)) {
		t.Errorf("it does not match: %v", err)
	}
	compiled, _ = expression.Compile(`payload.after.x == 1`)
	if n := testing.AllocsPerRun(5, func() { compiled.Matches(facts(payload)) }); n > 20 {
		t.Errorf("%v allocations to find one number", n)
	}
}

func FuzzExpression(f *testing.F) {
	f.Add(`event == "issues" && payload.a["b-c"][0] in [1, -2.5, "x", null]`, `{"a":{"b-c":[1]}}`)
	f.Add(`!(payload.a > 1) || "x" in payload`, `{"a":1e400}`)
	f.Fuzz(func(t *testing.T, text, payload string) {
		compiled, err := expression.Compile(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q has an error of several lines: %v", text, err)
			}
			return
		}
		holds := compiled.Matches(facts(payload))
		if negated, err := expression.Compile("!(" + text + "\n)"); err == nil && holds && negated.Matches(facts(payload)) {
			t.Errorf("%q and its negation hold for %q", text, payload)
		}
	})
}
