package book_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/test/must"
)

func draft() book.Draft {
	return book.Draft{Name: "Calculus", Course: "MTH 161", Edition: 1, Price: 1000, Condition: "good", Date: now, ISBN: "0306406152"}
}

func TestEachFieldIsCheckedAtItsBounds(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*book.Draft)
		field  string // empty: fine
	}{
		"name 300":                    {func(d *book.Draft) { d.Name = strings.Repeat("é", 300) }, ""},
		"name 301":                    {func(d *book.Draft) { d.Name = strings.Repeat("é", 301) }, "name"},
		"name blank":                  {func(d *book.Draft) { d.Name = "   " }, "name"},
		"name invisible":              {func(d *book.Draft) { d.Name = "\u200b \u2060" }, "name"},
		"name filler":                 {func(d *book.Draft) { d.Name = "\u3164" }, "name"},
		"course hidden":               {func(d *book.Draft) { d.Course = "\u202e" }, "course"},
		"name control":                {func(d *book.Draft) { d.Name = "a\tb" }, "name"},
		"name bad UTF-8":              {func(d *book.Draft) { d.Name = "a\xff" }, "name"},
		"course 40":                   {func(d *book.Draft) { d.Course = strings.Repeat("x", 40) }, ""},
		"course 41":                   {func(d *book.Draft) { d.Course = strings.Repeat("x", 41) }, "course"},
		"course none":                 {func(d *book.Draft) { d.Course = "" }, "course"},
		"edition 1000":                {func(d *book.Draft) { d.Edition = 1000 }, ""},
		"edition 1001":                {func(d *book.Draft) { d.Edition = 1001 }, "edition"},
		"edition 0":                   {func(d *book.Draft) { d.Edition = 0 }, "edition"},
		"price 0.01":                  {func(d *book.Draft) { d.Price = 1 }, ""},
		"price 0":                     {func(d *book.Draft) { d.Price = 0 }, "price"},
		"price 10000":                 {func(d *book.Draft) { d.Price = 1_000_000 }, ""},
		"price 10000.01":              {func(d *book.Draft) { d.Price = 1_000_001 }, "price"},
		"condition any":               {func(d *book.Draft) { d.Condition = "liKe nEw" }, ""},
		"condition other":             {func(d *book.Draft) { d.Condition = "Mint" }, "condition"},
		"no date":                     {func(d *book.Draft) { d.Date = time.Time{} }, "date"},
		"far date":                    {func(d *book.Draft) { d.Date = now.AddDate(8000, 0, 0) }, "date"},
		"date of today two years ago": {func(d *book.Draft) { d.Date = now.AddDate(-2, 0, 0) }, ""},
		"date of the day before":      {func(d *book.Draft) { d.Date = now.AddDate(-2, 0, -1) }, "date"},
		"date of today in two years":  {func(d *book.Draft) { d.Date = now.AddDate(2, 0, 0) }, ""},
		"date of the day after":       {func(d *book.Draft) { d.Date = now.AddDate(2, 0, 1) }, "date"},
		"epoch":                       {func(d *book.Draft) { d.Date = time.UnixMilli(0) }, "date"},
		"comments 2000":               {func(d *book.Draft) { d.Comments = strings.Repeat("é", 1998) + "\r\n" }, ""},
		"authors 301":                 {func(d *book.Draft) { d.Authors = strings.Repeat("x", 301) }, "authors"},
		"authors NUL":                 {func(d *book.Draft) { d.Authors = "a\x00" }, "authors"},
		"comments 2001":               {func(d *book.Draft) { d.Comments = strings.Repeat("x", 2001) }, "Comments"},
		"comments NUL":                {func(d *book.Draft) { d.Comments = "a\x00" }, "Comments"},
		"ISBN wrong":                  {func(d *book.Draft) { d.ISBN = "0306406153" }, "ISBN"},
		"ISBN none":                   {func(d *book.Draft) { d.ISBN = "" }, ""},
	} {
		d := draft()
		c.change(&d)
		_, err := d.Check(money.Currency{}, now)
		if c.field == "" && err != nil || c.field != "" && (!errors.Is(err, book.ErrInvalid) || fault.As(err).Fields[c.field] == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if book.ErrInvalid.Fields != nil {
		t.Error("the sentinel has changed")
	}
}

func TestAPatchChangesOnlyWhatItNames(t *testing.T) {
	old := must.Get(draft().Check(money.Currency{}, now))(t)
	if same, err := (book.Patch{}).Apply(old, money.Currency{}, now); err != nil || same != old {
		t.Errorf("an empty patch made %+v of %+v (%v)", same, old, err)
	}
	name, edition, price, condition, comments, isbn, course, date := "Topology", 2, money.Amount(5), "poor", "c", "", "MTH 240", now.AddDate(0, 1, 0)
	got, err := book.Patch{
		Name: &name, Course: &course, Edition: &edition, Price: &price, Condition: &condition, Date: &date, Comments: &comments, ISBN: &isbn,
	}.Apply(old, money.Currency{}, now)
	want := book.Details{Name: name, Course: course, Edition: 2, Price: 5, Condition: book.Poor, Date: date, Comments: "c"}
	if err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	edition = 0
	must.Refuse(t, (book.Patch{Edition: &edition}).Check(money.Currency{}, now), book.ErrInvalid, "a bad patch")
}

func TestAnOldListingKeepsItsDateWhenTheRestIsChanged(t *testing.T) {
	old := must.Get(draft().Check(money.Currency{}, now))(t)
	later, name := now.AddDate(3, 0, 0), "Topology"
	same, other, none := old.Date.Truncate(24*time.Hour), old.Date.AddDate(0, 0, 1), time.Time{}
	for what, c := range map[string]struct {
		date    *time.Time
		refused bool
	}{"no date": {nil, false}, "its day": {&same, false}, "another day as old": {&other, true}, "today": {&later, false}, "no day": {&none, true}} {
		p := book.Patch{Name: &name, Date: c.date}
		err := p.Check(money.Currency{}, later)
		if err == nil {
			_, err = p.Apply(old, money.Currency{}, later)
		}
		if refused := err != nil; refused != c.refused || refused && fault.As(err).Fields["date"] == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
	price := money.Amount(-1)
	if err := (book.Patch{Price: &price, Date: &other}).Check(money.Currency{}, later); err == nil || len(fault.As(err).Fields) != 2 {
		t.Errorf("not all that is wrong is named: %v", err)
	}
}

func TestHiddenCharactersAreRemovedFromBooksAndRequests(t *testing.T) {
	d := draft()
	d.Name, d.Course, d.Comments = "\u202esuluclaC\u202c", "\ufeffMTH 161", "cheap\u2066\nat last"
	got, err := d.Check(money.Currency{}, now)
	if err != nil || got.Name != "suluclaC" || got.Course != "MTH 161" || got.Comments != "cheap\nat last" {
		t.Errorf("%+v, %v", got, err)
	}
	details, err := book.RequestDraft{Name: d.Name, Course: d.Course}.Check(money.Currency{})
	if err != nil || details.Name != "suluclaC" || details.Course != "MTH 161" {
		t.Errorf("%+v, %v", details, err)
	}
	revised, err := book.Patch{Name: &d.Name}.Apply(got, money.Currency{}, now)
	if err != nil || revised.Name != "suluclaC" {
		t.Errorf("%+v, %v", revised, err)
	}
}

func TestEveryConditionHasAMeaning(t *testing.T) {
	var names []string
	for _, c := range book.Conditions() {
		if c.Meaning() == "" {
			t.Errorf("%s means nothing", c)
		}
		names = append(names, c.String())
	}
	if !slices.Equal(names, []string{"New", "Like New", "Good", "Fair", "Poor"}) {
		t.Errorf("conditions %v", names)
	}
	if none := book.Condition(0); none.String() != "" || none.Meaning() != "" {
		t.Error("no condition has a name")
	}
}

func post(name string, edition int, course string) book.Details {
	return book.Details{Name: name, Edition: edition, Course: course}
}

func TestASuggestionIsWhatMostPostsAgreeOn(t *testing.T) {
	for name, c := range map[string]struct {
		posts []book.Details // newest first
		want  book.Suggestion
	}{
		"one post": {[]book.Details{post("Calculus", 8, "MATH 161")}, book.Suggestion{Name: "Calculus", Edition: 8, Course: "MATH 161"}},
		"two against one": {
			[]book.Details{post("Calclus", 1, "M"), post("Calculus", 8, "MATH 161"), post("Calculus", 8, "MATH 161")},
			book.Suggestion{Name: "Calculus", Edition: 8, Course: "MATH 161"},
		},
		"one to one": {
			[]book.Details{post("Calculus", 9, "MATH 162"), post("Algebra", 8, "MATH 161")},
			book.Suggestion{Name: "Calculus", Edition: 9, Course: "MATH 162"},
		},
		"spellings of one title": {
			[]book.Details{post("Algebra", 1, "MATH 1"), post("Algebra", 1, "MATH 1"), post("calculus", 8, "math-161"), post("Calculus", 8, "MATH 161"), post("Calculus", 8, "MATH 161")},
			book.Suggestion{Name: "Calculus", Edition: 8, Course: "MATH 161"},
		},
		"an edition of another title": {
			[]book.Details{post("Calculus", 8, "MATH 161"), post("Calculus", 8, "MATH 161"), post("Calculus", 7, "MATH 161"), post("Algebra", 7, "X 1"), post("Topology", 7, "X 1")},
			book.Suggestion{Name: "Calculus", Edition: 8, Course: "MATH 161"},
		},
		"titles without letters": {
			[]book.Details{post("?!", 1, "…"), post("++", 2, "-")},
			book.Suggestion{Name: "?!", Edition: 1, Course: "…"},
		},
	} {
		if got, ok := book.Suggest(c.posts); !ok || got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if got, ok := book.Suggest(nil); ok || got != (book.Suggestion{}) {
		t.Errorf("without posts: %+v", got)
	}
}

func TestTheErrorOfASuggestionNamesEveryInvalidField(t *testing.T) {
	for _, s := range []book.Suggestion{{Name: "Calculus"}, {Name: "Calculus", Edition: 1000, Year: 2016, Course: "MATH 161"}} {
		if err := s.Check(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
	err := book.Suggestion{Name: " ", Edition: -1, Year: 9999, Course: strings.Repeat("x", 41)}.Check()
	if f := fault.As(err); f == nil || len(f.Fields) != 4 {
		t.Errorf("got %v", err)
	}
}
