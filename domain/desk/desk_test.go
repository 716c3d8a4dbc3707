package desk_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/desk"
	"github.com/octavo-books/octavo/domain/fault"
)

func TestADeskSaysWhereAndWhen(t *testing.T) {
	good := desk.Desk{University: "Campus", Place: "Library, \u202eroom 1", Hours: "Mon–Fri 10:00–16:00", Notes: "Ring\nthe bell."}
	d, err := good.Check()
	if err != nil || d.Place != "Library, room 1" || d.Notes != good.Notes {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestEveryInvalidFieldOfADeskIsNamed(t *testing.T) {
	for _, bad := range []desk.Desk{
		{},
		{University: " ", Place: strings.Repeat("x", 201), Hours: "a\nb", Notes: "a\x00"},
		{University: "\x00", Place: "\u202e", Hours: "a\xff", Notes: strings.Repeat("x", 1001)},
	} {
		_, err := bad.Check()
		f := fault.As(err)
		if !errors.Is(err, desk.ErrInvalid) || f == nil {
			t.Fatalf("%+v: %v", bad, err)
		}
		want := []string{"hours", "notes", "place", "university"}
		if bad.Notes == "" {
			want = []string{"hours", "place", "university"}
		}
		if got := slices.Sorted(maps.Keys(f.Fields)); !slices.Equal(got, want) {
			t.Errorf("%+v: the fields are %v", bad, got)
		}
	}
	if _, err := (desk.Desk{University: "!!", Place: "P", Hours: "H"}).Check(); fault.As(err) == nil || fault.As(err).Fields["university"] == "" {
		t.Errorf("a university without letters: %v", err)
	}
}
