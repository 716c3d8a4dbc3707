package inbox_test

import (
	"testing"

	"github.com/octavo-books/octavo/application/inbox"
)

// A condition asks for the fields of a form, and for elements of an array, as for those of an
// object.
func TestAConditionReadsFormsArraysAndTexts(t *testing.T) {
	field := func(kind, body string, path ...inbox.PathStep) string {
		d := inbox.Delivery{Header: map[string]string{"Content-Type": kind}, Payload: []byte(body)}
		return string(inbox.NewFacts(d).Field("x", path))
	}
	for want, got := range map[string]string{
		`"+1 234"`:     field("application/x-www-form-urlencoded; charset=utf-8", "From=%2B1+234&To=a", inbox.PathStep{Name: "From"}),
		`"b"`:          field("application/x-www-form-urlencoded", "x=a&x=b", inbox.PathStep{Name: "x"}, inbox.PathStep{Index: 1}),
		``:             field("application/x-www-form-urlencoded", "x=%zz", inbox.PathStep{Name: "x"}),
		`"say \"hi\""`: field("text/plain", `say "hi"`),
		`"a=1\n"`:      field("application/x-ini", "a=1\n"),
		`"{a: b"`:      field("application/yaml", `{a: b`),
		`"hi"`:         field("", `hi`),
		`"sns"`:        field("text/plain; charset=UTF-8", `{"Type":"sns"}`, inbox.PathStep{Name: "Type"}),
		`7`:            field("application/cloudevents+json", `[7]`, inbox.PathStep{Index: 0}),
		`"bounce"`:     field("application/json", `[{"event":"open"},{"event":"bounce"}]`, inbox.PathStep{Index: 1}, inbox.PathStep{Name: "event"}),
		`{"a":"b"}`:    field("application/json", `{"a":"b"}`),
	} {
		if got != want {
			t.Errorf("it reads %s, want %s", got, want)
		}
	}
}
