package book_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

func TestISBNsAreParsedInEveryForm(t *testing.T) {
	for in, want := range map[string]book.ISBN{
		"0306406152":        "9780306406157",
		"0-306-40615-2":     "9780306406157",
		"978-0-306-40615-7": "9780306406157",
		"978 0306406157":    "9780306406157",
		"080442957X":        "9780804429573",
		"0-8044-2957-x":     "9780804429573",
		"9791032719008":     "9791032719008",
		"0262033844":        "9780262033848",
	} {
		if got, ok := book.ParseISBN(in); !ok || got != want {
			t.Errorf("%q is %q, %v; want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{
		"", "0", "0306406153", "9780306406158", "978030640615", "97803064061577", "0-306-40615--2", "-0306406152", "0306406152-",
		" 0306406152", "X306406152", "030640615Y", "08044X957X", "1234567890123", "９780306406157", "9780306406157\n", "080442957XX", "978080442957X",
		strings.Repeat("9", 1000), "0_306406152", "0000000000000",
		"9790260000438", "979-0-2600-0043-8", // printed music
	} {
		if got, ok := book.ParseISBN(in); ok {
			t.Errorf("%q was read as %q", in, got)
		}
	}
}

func TestAWrongDigitOrTwoSwappedOnesAreRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nine := fmt.Sprintf("%09d", rapid.IntRange(0, 999_999_999).Draw(t, "digits"))
		var ten string
		for _, c := range "0123456789X" {
			if _, ok := book.ParseISBN(nine + string(c)); ok {
				ten = nine + string(c)
			}
		}
		isbn, ok := book.ParseISBN(ten)
		if !ok || len(isbn) != 13 {
			t.Fatalf("%s has no check digit", nine)
		}
		if again, ok := book.ParseISBN(string(isbn)); !ok || again != isbn {
			t.Fatalf("%s is not parsed as itself", isbn)
		}
		i := rapid.IntRange(0, 8).Draw(t, "place")
		wrong := []byte(ten)
		wrong[i] = '0' + (wrong[i]-'0'+byte(rapid.IntRange(1, 9).Draw(t, "by")))%10
		if _, ok := book.ParseISBN(string(wrong)); ok {
			t.Fatalf("%s passes for %s", wrong, ten)
		}
		if i < 8 && ten[i] != ten[i+1] {
			swapped := []byte(ten)
			swapped[i], swapped[i+1] = ten[i+1], ten[i]
			if _, ok := book.ParseISBN(string(swapped)); ok {
				t.Fatalf("%s passes for %s", swapped, ten)
			}
		}
	})
}

func FuzzParseISBN(f *testing.F) {
	for _, s := range []string{"0-306-40615-2", "978-0-306-40615-7", "080442957X", "", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		isbn, ok := book.ParseISBN(s)
		if ok != (len(isbn) == 13) {
			t.Fatalf("%q: %q, %v", s, isbn, ok)
		}
		if again, same := book.ParseISBN(string(isbn)); ok && (!same || again != isbn) {
			t.Fatalf("%q became %q, which is %q", s, isbn, again)
		}
	})
}

var now = time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)

const seller, buyer = user.ID(1), user.ID(2)

// moves are the transitions of a book, with the statuses that each may start from and the
// status that it leads to.
var moves = map[string]struct {
	do   func(*book.Book) error
	from []book.Status
	to   book.Status
}{
	"buy":     {func(b *book.Book) error { return b.Buy(buyer) }, []book.Status{0}, 1},
	"verify":  {func(b *book.Book) error { return b.Verify() }, []book.Status{1}, 2},
	"deliver": {func(b *book.Book) error { return b.Deliver() }, []book.Status{2}, 3},
	"return":  {func(b *book.Book) error { return b.Return() }, []book.Status{1, 2}, 0},
	"unlist":  {func(b *book.Book) error { return b.Unlist() }, []book.Status{0}, 5},
	"relist":  {func(b *book.Book) error { return b.Relist("MIT", now) }, []book.Status{5}, 0},
}

func TestNoSequenceOfMovesBreaksTheStatusMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := book.Post(7, seller, "Rochester", book.Details{Name: "Calculus"}, now)
		names := []string{"buy", "verify", "deliver", "return", "unlist", "relist"}
		for range rapid.IntRange(0, 30).Draw(t, "length") {
			name := rapid.SampledFrom(names).Draw(t, "move")
			move, was := moves[name], b
			err := move.do(&b)
			legal := slices.Contains(move.from, was.Status)
			if legal != (err == nil) {
				t.Fatalf("%s from %d: %v", name, was.Status, err)
			}
			if legal && b.Status != move.to || !legal && b != was {
				t.Fatalf("%s took %+v to %+v", name, was, b)
			}
			if (b.Buyer != 0) != b.Status.Sold() {
				t.Fatalf("status %d with buyer %d", b.Status, b.Buyer)
			}
		}
	})
}

func TestOnlyFiveStatusesExist(t *testing.T) {
	for n := -3; n < 10; n++ {
		_, ok := book.ParseStatus(n)
		if want := slices.Contains([]int{0, 1, 2, 3, 5}, n); ok != want {
			t.Errorf("status %d: %v, want %v", n, ok, want)
		}
	}
}

func TestNobodyBuysTheirOwnBook(t *testing.T) {
	b := book.Post(7, seller, "Rochester", book.Details{}, now)
	if err := b.Buy(seller); !errors.Is(err, book.ErrOwnBook) || b.Status != book.ForSale {
		t.Errorf("%v, status %d", err, b.Status)
	}
	must.Do(t, b.Buy(buyer))
	if err := b.Buy(3); !errors.Is(err, book.ErrNotAvailable) || b.Buyer != buyer {
		t.Errorf("the second buyer: %v", err)
	}
}

func TestASoldBookCannotBeRevised(t *testing.T) {
	b := book.Post(7, seller, "Rochester", book.Details{Name: "Old"}, now)
	if err := b.Revise(book.Details{Name: "New"}, "MIT"); err != nil || b.Name != "New" || b.University != "MIT" {
		t.Errorf("%v: %+v", err, b)
	}
	_ = b.Buy(buyer)
	if err := b.Revise(book.Details{Name: "Newer"}, "MIT"); !errors.Is(err, book.ErrNotEditable) || b.Name != "New" {
		t.Errorf("%v: %+v", err, b)
	}
}

func TestOnlySellerBuyerAndAdminsSeeABookThatIsNotForSale(t *testing.T) {
	b := book.Post(7, seller, "Rochester", book.Details{}, now)
	nobody, stranger, admin := user.Caller{}, user.Caller{ID: 9}, user.Caller{ID: 8, Role: user.Admin}
	if !b.VisibleTo(nobody) || !b.VisibleTo(stranger) {
		t.Error("a book for sale is hidden")
	}
	_ = b.Unlist()
	near, far, owner := admin, admin, admin
	near.CampusOnly, far.CampusOnly, owner.CampusOnly = true, true, true
	near.University, far.University, owner.University, owner.Role = "rochester", "MIT", "MIT", user.Owner
	if !b.VisibleTo(near) || b.VisibleTo(far) || !b.VisibleTo(owner) {
		t.Error("an unlisted book is shown to the admins of another university")
	}
	if b.VisibleTo(nobody) || b.VisibleTo(stranger) || !b.VisibleTo(admin) || !b.VisibleTo(user.Caller{ID: seller}) {
		t.Error("an unlisted book is shown to the wrong people")
	}
}

func TestATextWithSeveralISBNsSaysSo(t *testing.T) {
	for typed, several := range map[string]bool{"9780134685991 or 9780262033848": true, "978-0-13-468599-2": false, "": false, "9780134685991, 978-0134685991": false} {
		if why := book.WhyNoISBN(typed); strings.Contains(why, "several") != several {
			t.Errorf("%q is refused with %q", typed, why)
		}
	}
}
