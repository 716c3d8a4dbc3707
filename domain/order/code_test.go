package order_test

import (
	"math"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/order"
	"pgregory.net/rapid"
)

func TestACodeLeadsBackToItsOrderHoweverItIsTyped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := order.ID(rapid.Int64Range(1, math.MaxInt64).Draw(t, "id"))
		code := string(id.Code())
		for _, typed := range []string{
			code, strings.ToLower(code), strings.ReplaceAll(code, "-", ""), " " + strings.ReplaceAll(code, "-", " "),
			strings.ReplaceAll(code, "0", "o"), strings.ReplaceAll(code, "1", "l"), strings.ReplaceAll(code, "1", "I"),
		} {
			if got, ok := order.ParseCode(typed); !ok || got != id {
				t.Fatalf("%q of %d is read as %d", typed, id, got)
			}
		}
	})
}

func TestATypingErrorDoesNotLeadToANeighbouringOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.Int64Range(1<<58, 1<<59).Draw(t, "id")
		code := []byte(strings.ReplaceAll(string(order.ID(id).Code()), "-", ""))
		at := rapid.IntRange(0, len(code)-1).Draw(t, "at")
		was := code[at]
		code[at] = rapid.SampledFrom([]byte("0123456789ABCDEFGHJKMNPQRSTVWXYZ")).Draw(t, "digit")
		got, ok := order.ParseCode(string(code))
		if far := int64(got) - id; ok && code[at] != was && -1000 < far && far < 1000 {
			t.Fatalf("%s with an error is the code of %d, next to %d", code, got, id)
		}
	})
}

func TestOtherTextsAreNoCodes(t *testing.T) {
	for _, s := range []string{"", "0000-0000-00000", "calculus", "1234-5678-9012", "1234-5678-901234", "8000-0000-00000", "1234-5678-9012U", "1234-5678-9012é", "ann@rochester"} {
		if id, ok := order.ParseCode(s); ok {
			t.Errorf("%q is read as %d", s, id)
		}
	}
}
