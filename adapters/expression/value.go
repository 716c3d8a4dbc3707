package expression

import (
	"cmp"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook/rawjson"
)

// kind is the type of a value.
type kind string

const (
	unknown kind = ""
	null    kind = "null"
	boolean kind = "true or false"
	numeric kind = "a number"
	text    kind = "a text"
	list    kind = "a list"
	object  kind = "an object"
)

// value is a value of a condition. The zero value is unknown.
type value struct {
	kind   kind
	yes    bool
	number number
	text   string
	raw    []byte // of a list or object
}

func truth(b bool) value { return value{kind: boolean, yes: b} }

// parse parses an undecoded value of the payload; a missing one is unknown.
func parse(raw json.RawMessage) value {
	if len(raw) == 0 {
		return value{}
	}
	switch raw[0] {
	case '{':
		return value{kind: object, raw: raw}
	case '[':
		return value{kind: list, raw: raw}
	case '"':
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return value{}
		}
		return value{kind: text, text: s}
	case 't', 'f':
		return truth(raw[0] == 't')
	case 'n':
		return value{kind: null}
	}
	n, ok := parseNumber(string(raw))
	if !ok {
		return value{}
	}
	return value{kind: numeric, number: n}
}

// number is an integer of 64 bits, such as an ID, or else a float.
type number struct {
	integer int64
	float   float64
	whole   bool   // integer counts
	written string // in the payload, if it is no such integer and short enough to be compared exactly
}

// maxExact limits the digits that are compared beyond those of a float, in bytes.
const maxExact = 64

// parseNumber parses a number of JSON. ok is false beyond the range of a float.
func parseNumber(s string) (n number, ok bool) {
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return wholeNumber(i), true
	}
	f, err := strconv.ParseFloat(s, 64)
	if n = (number{float: f}); len(s) <= maxExact {
		n.written = s
	}
	return n, err == nil
}

func wholeNumber(i int64) number { return number{integer: i, float: float64(i), whole: true} }

// compare returns -1, 0 or 1.
func (n number) compare(m number) int {
	if n.whole && m.whole {
		return cmp.Compare(n.integer, m.integer)
	}
	if c := cmp.Compare(n.float, m.float); c != 0 {
		return c
	}
	a, b := n.exact(), m.exact()
	if a == nil || b == nil {
		return 0
	}
	return a.Cmp(b)
}

// exact is the number as it is written, nil if only its float is known or it is too small for one.
func (n number) exact() *big.Rat {
	switch {
	case n.whole:
		return new(big.Rat).SetInt64(n.integer)
	case n.written == "", n.float == 0:
		return nil
	}
	exact, _ := new(big.Rat).SetString(n.written) // a number of JSON is one
	return exact
}

// equal compares two values. Values of different types are not equal. The comparison of two
// lists or of two objects is unknown.
func equal(a, b value) value {
	switch {
	case a.kind == unknown || b.kind == unknown:
		return value{}
	case a.kind != b.kind:
		return truth(false)
	}
	switch a.kind {
	case null:
		return truth(true)
	case boolean:
		return truth(a.yes == b.yes)
	case numeric:
		return truth(a.number.compare(b.number) == 0)
	case text:
		return truth(a.text == b.text)
	}
	return value{}
}

func not(v value) value {
	if v.kind != boolean {
		return value{}
	}
	return truth(!v.yes)
}

// comparisons compare two values.
var comparisons = map[string]func(a, b value) value{
	"==": equal,
	"!=": func(a, b value) value { return not(equal(a, b)) },
	"<":  ordered(func(c int) bool { return c < 0 }),
	"<=": ordered(func(c int) bool { return c <= 0 }),
	">":  ordered(func(c int) bool { return c > 0 }),
	">=": ordered(func(c int) bool { return c >= 0 }),
}

// ordered compares two numbers or two texts; anything else is unknown.
func ordered(holds func(int) bool) func(a, b value) value {
	return func(a, b value) value {
		switch {
		case a.kind == numeric && b.kind == numeric:
			return truth(holds(a.number.compare(b.number)))
		case a.kind == text && b.kind == text:
			return truth(holds(strings.Compare(a.text, b.text)))
		}
		return value{}
	}
}

type evaluation = func(*inbox.Facts) value

// combinations combine two conditions as SQL does, reading the second only if the first
// does not decide.
var combinations = map[string]func(left, right evaluation) evaluation{
	"&&": func(left, right evaluation) evaluation { return decided(left, right, false) },
	"||": func(left, right evaluation) evaluation { return decided(left, right, true) },
}

// decided evaluates to by if either condition does; by is true for || and false for &&.
// Otherwise the result is unknown if either condition is, and the opposite of by if neither is.
func decided(left, right evaluation, by bool) evaluation {
	return func(f *inbox.Facts) value {
		a := left(f)
		if a.kind == boolean && a.yes == by {
			return a
		}
		b := right(f)
		if b.kind == boolean && (b.yes == by || a.kind == boolean) {
			return b
		}
		return value{}
	}
}

// isAmong reports whether a value equals one of the list.
func isAmong(f *inbox.Facts, v value, all []term) value {
	result := truth(false)
	for _, t := range all {
		switch e := equal(v, t.eval(f)); {
		case e.kind == unknown:
			result = value{}
		case e.yes:
			return e
		}
	}
	if v.kind == unknown {
		return value{}
	}
	return result
}

// isIn reports whether a list of the payload has an element, or an object a key.
func isIn(v, all value) value {
	switch {
	case v.kind == unknown:
		return value{}
	case all.kind == object && v.kind == text:
		return truth(rawjson.Member(all.raw, v.text) != nil)
	case all.kind != list || v.kind == list || v.kind == object:
		return value{}
	}
	for raw := range rawjson.Elements(all.raw) {
		if e := equal(v, parse(raw)); e.yes {
			return e
		}
	}
	return truth(false)
}
