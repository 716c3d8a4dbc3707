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
)

func draft() book.Draft {
	return book.Draft{Name: "Calculus", Course: "MTH 161", Edition: 1, Price: 1000, Condition: "good", Date: now, ISBN: "0306406152"}
}

func TestEachFieldIsCheckedAtItsBounds(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*book.Draft)
		field  string // empty: fine
	}{
		"name 300":        {func(d *book.Draft) { d.Name = strings.Repeat("é", 300) }, ""},
		"name 301":        {func(d *book.Draft) { d.Name = strings.Repeat("é", 301) }, "name"},
		"name blank":      {func(d *book.Draft) { d.Name = "   " }, "name"},
		"name invisible":  {func(d *book.Draft) { d.Name = "\u200b \u2060" }, "name"},
		"name filler":     {func(d *book.Draft) { d.Name = "\u3164" }, "name"},
		"course hidden":   {func(d *book.Draft) { d.Course = "\u202e" }, "course"},
		"name control":    {func(d *book.Draft) { d.Name = "a\tb" }, "name"},
		"name bad UTF-8":  {func(d *book.Draft) { d.Name = "a\xff" }, "name"},
		"course 40":       {func(d *book.Draft) { d.Course = strings.Repeat("x", 40) }, ""},
		"course 41":       {func(d *book.Draft) { d.Course = strings.Repeat("x", 41) }, "course"},
		"course none":     {func(d *book.Draft) { d.Course = "" }, "course"},
		"edition 1000":    {func(d *book.Draft) { d.Edition = 1000 }, ""},
		"edition 1001":    {func(d *book.Draft) { d.Edition = 1001 }, "edition"},
		"edition 0":       {func(d *book.Draft) { d.Edition = 0 }, "edition"},
		"price 0.01":      {func(d *book.Draft) { d.Price = 1 }, ""},
		"price 0":         {func(d *book.Draft) { d.Price = 0 }, "price"},
		"price 10000":     {func(d *book.Draft) { d.Price = 1_000_000 }, ""},
		"price 10000.01":  {func(d *book.Draft) { d.Price = 1_000_001 }, "price"},
		"condition any":   {func(d *book.Draft) { d.Condition = "liKe nEw" }, ""},
		"condition other": {func(d *book.Draft) { d.Condition = "Mint" }, "condition"},
		"no date":         {func(d *book.Draft) { d.Date = time.Time{} }, "date"},
		"far date":        {func(d *book.Draft) { d.Date = now.AddDate(8000, 0, 0) }, "date"},
		"far date, in UTC": {func(d *book.Draft) {
			d.Date = time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("", -10*3600))
		}, "date"},
		"old date, in UTC": {func(d *book.Draft) {
			d.Date = time.Date(1900, 1, 1, 1, 0, 0, 0, time.FixedZone("", 10*3600))
		}, "date"},
		"last hour, in UTC": {func(d *book.Draft) {
			d.Date = time.Date(10000, 1, 1, 5, 0, 0, 0, time.FixedZone("", 10*3600))
		}, ""},
		"epoch":         {func(d *book.Draft) { d.Date = time.UnixMilli(0) }, ""},
		"comments 2000": {func(d *book.Draft) { d.Comments = strings.Repeat("é", 1998) + "\r\n" }, ""},
		"comments 2001": {func(d *book.Draft) { d.Comments = strings.Repeat("x", 2001) }, "Comments"},
		"comments NUL":  {func(d *book.Draft) { d.Comments = "a\x00" }, "Comments"},
		"ISBN wrong":    {func(d *book.Draft) { d.ISBN = "0306406153" }, "ISBN"},
		"ISBN none":     {func(d *book.Draft) { d.ISBN = "" }, ""},
	} {
		d := draft()
		c.change(&d)
		_, err := d.Check(money.Currency{})
		if c.field == "" && err != nil || c.field != "" && (!errors.Is(err, book.ErrInvalid) || fault.As(err).Fields[c.field] == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if book.ErrInvalid.Fields != nil {
		t.Error("the sentinel has changed")
	}
}

func TestAPatchChangesOnlyWhatItNames(t *testing.T) {
	old, err := draft().Check(money.Currency{})
	if err != nil {
		t.Fatal(err)
	}
	if same, err := (book.Patch{}).Apply(old, money.Currency{}); err != nil || same != old {
		t.Errorf("an empty patch made %+v of %+v (%v)", same, old, err)
	}
	name, edition, price, condition, comments, isbn, course, date := "Topology", 2, money.Amount(5), "poor", "c", "", "MTH 240", now.AddDate(0, 1, 0)
	got, err := book.Patch{
		Name: &name, Course: &course, Edition: &edition, Price: &price, Condition: &condition, Date: &date, Comments: &comments, ISBN: &isbn,
	}.Apply(old, money.Currency{})
	want := book.Details{Name: name, Course: course, Edition: 2, Price: 5, Condition: book.Poor, Date: date, Comments: "c"}
	if err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	edition = 0
	if err := (book.Patch{Edition: &edition}).Check(money.Currency{}); !errors.Is(err, book.ErrInvalid) {
		t.Errorf("a bad patch: %v", err)
	}
}

func TestHiddenCharactersAreRemovedFromBooksAndRequests(t *testing.T) {
	d := draft()
	d.Name, d.Course, d.Comments = "\u202esuluclaC\u202c", "\ufeffMTH 161", "cheap\u2066\nat last"
	got, err := d.Check(money.Currency{})
	if err != nil || got.Name != "suluclaC" || got.Course != "MTH 161" || got.Comments != "cheap\nat last" {
		t.Errorf("%+v, %v", got, err)
	}
	details, err := book.RequestDraft{Name: d.Name, Course: d.Course}.Check(money.Currency{})
	if err != nil || details.Name != "suluclaC" || details.Course != "MTH 161" {
		t.Errorf("%+v, %v", details, err)
	}
	revised, err := book.Patch{Name: &d.Name}.Apply(got, money.Currency{})
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
