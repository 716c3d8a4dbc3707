package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// catalogue is a fixed set of books in the order of posting: the last is the newest.
var catalogue = []struct{ name, course, isbn string }{
	{"L’Énergie nucléaire", "PHS 300", ""},
	{"Initiation à l'analyse réelle", "MAT 900", ""},
	{"Introduction to Algorithms", "CSC 172", "9780262033848"},
	{"The Art of Computer Programming", "CSC 280", "9780201896831"},
	{"Calculus", "MTH 161", ""},
	{"Calculus: Early Transcendentals", "MTH 162", "9781285741550"},
	{"Multivariable Calculus", "MTH 164", ""},
	{"Linear Algebra Done Right", "MTH 165", "9783319110790"},
	{"Introduction to Linear Algebra", "MTH-165", "9780980232776"},
	{"Organic Chemistry", "CHM 203", "9780321971371"},
	{"Chemistry: The Central Science", "CHM 131", ""},
	{"Les Misérables", "FR 204", "9782253096337"},
	{"Économie du développement", "ECO 263", ""},
	{"Principles of Economics", "ECO 108", "9781305585126"},
	{"Campbell Biology", "BIO 110", "9780134093413"},
	{"The C Programming Language", "CSC 173", "9780131103627"},
	{"C++ Primer", "C/C++", "9780321714114"},
	{"Ibsen’s Plays: Ghosts & A Doll's House", "ENG 252", ""},
	{"O'Reilly: Learning Go", "CSC 254", ""},
	{"Don Quijote de la Mancha", "SP 200", ""},
	{"Straßen und Brücken", "GER 101", ""},
	{"数学分析", "MTH 265", ""},
	{"A Brief History of Time", "PHY 100", "9780553380163"},
	{"It", "ENG 118", ""},
	{"100% Statistics_2", "STT 212", ""},
	{"Fundamentals of Physics", "PHY 121", "9781118230718"},
	{"Physics for Scientists and Engineers", "PHY 121", ""},
	{"Artificial Intelligence: A Modern Approach", "CSC 242", "9780134610993"},
	{"Art History", "AH 100", ""},
	{"Psychology", "PSY 101", ""},
	{"Psychology and Life", "PSY 101", ""},
	{"Data Structures and Algorithms in Java", "CSC172", ""},
}

// queries and the names that they find, best first. After a last name of "…", others may
// follow.
var queries = []struct {
	text string
	want []string
}{
	// by ISBN, in every form
	{"9780262033848", []string{"Introduction to Algorithms"}},
	{"978-0-262-03384-8", []string{"Introduction to Algorithms"}},
	{" 978 0 262 03384 8 ", []string{"Introduction to Algorithms"}},
	{"0262033844", []string{"Introduction to Algorithms"}},
	{"ISBN 0262033844", []string{"Introduction to Algorithms"}},
	{"isbn-13: 978–0–262–03384–8", []string{"Introduction to Algorithms"}},
	{"ISBN: 978\u20110\u2011262\u201103384\u20118", []string{"Introduction to Algorithms"}},
	{"ISBN-10 0262033844", []string{"Introduction to Algorithms"}},
	{"isbn", nil},
	{"0-262-03384-4", []string{"Introduction to Algorithms"}},
	{"262033844", []string{"Introduction to Algorithms"}}, // without its first zero
	{"978.0.262.03384.8", []string{"Introduction to Algorithms"}},
	{"978O262O33848", []string{"Introduction to Algorithms"}},
	{"0131103628", []string{"The C Programming Language"}},
	{"9780306406157", nil}, // valid, but no book has it
	{"9780262033849", nil}, // an invalid check digit
	// by course
	{"CSC 172", []string{"Data Structures and Algorithms in Java", "Introduction to Algorithms"}},
	{"csc-172", []string{"Data Structures and Algorithms in Java", "Introduction to Algorithms"}},
	{"csc172", []string{"Data Structures and Algorithms in Java", "Introduction to Algorithms"}},
	{"C.S.C. 172", []string{"Data Structures and Algorithms in Java", "Introduction to Algorithms"}},
	{"mth 165", []string{"Introduction to Linear Algebra", "Linear Algebra Done Right"}},
	{"PHY121", []string{"Physics for Scientists and Engineers", "Fundamentals of Physics"}},
	{"C/C++", []string{"C++ Primer"}},
	{"psy", []string{"Psychology", "Psychology and Life"}},
	{"csc 17", []string{"Data Structures and Algorithms in Java", "The C Programming Language", "Introduction to Algorithms"}},
	{"csc 242 intelligence", []string{"Artificial Intelligence: A Modern Approach"}},
	{"algorithms csc172", []string{"Introduction to Algorithms", "Data Structures and Algorithms in Java"}},
	{"csc 999", nil},
	// by title
	{"calculus", []string{"Calculus", "Calculus: Early Transcendentals", "Multivariable Calculus"}},
	{"CALCULUS", []string{"Calculus", "Calculus: Early Transcendentals", "Multivariable Calculus"}},
	{"early transcendentals", []string{"Calculus: Early Transcendentals"}},
	{"transcendentals early", []string{"Calculus: Early Transcendentals"}},
	{"linear algebra", []string{"Linear Algebra Done Right", "Introduction to Linear Algebra"}},
	{"Introduction to Linear Algebra", []string{"Introduction to Linear Algebra"}},
	{"introduction algebra", []string{"Introduction to Linear Algebra"}},
	{"art of computer programming", []string{"The Art of Computer Programming"}},
	{"the computer art", []string{"The Art of Computer Programming"}},
	{"chemistry", []string{"Chemistry: The Central Science", "Organic Chemistry"}},
	{"organic chemistry", []string{"Organic Chemistry"}},
	{"physics", []string{"Physics for Scientists and Engineers", "Fundamentals of Physics"}},
	{"programming", []string{"The C Programming Language", "The Art of Computer Programming"}},
	{"c programming", []string{"The C Programming Language"}},
	{"it", []string{"It"}},
	{"psychology", []string{"Psychology", "Psychology and Life"}},
	{"art", []string{"Art History", "The Art of Computer Programming", "Artificial Intelligence: A Modern Approach"}},
	{"of", []string{"…"}},
	{"calculus biology", nil},
	// accents, case, punctuation
	{"les miserables", []string{"Les Misérables"}},
	{"LES MISÉRABLES", []string{"Les Misérables"}},
	{"Mise\u0301rables", []string{"Les Misérables"}},
	{"economie developpement", []string{"Économie du développement"}},
	{"économie", []string{"Économie du développement"}},
	{"strassen brucken", []string{"Straßen und Brücken"}},
	{"énergie", []string{"L’Énergie nucléaire"}},
	{"l'energie nucleaire", []string{"L’Énergie nucléaire"}},
	{"d’énergie", []string{"L’Énergie nucléaire"}},
	{"lenergie", []string{"L’Énergie nucléaire"}}, // as a misspelling
	{"à l’analyse", []string{"Initiation à l'analyse réelle"}},
	{"analys", []string{"Initiation à l'analyse réelle"}},
	{"quijote mancha", []string{"Don Quijote de la Mancha"}},
	{"oreilly", []string{"O'Reilly: Learning Go"}},
	{"o’reilly", []string{"O'Reilly: Learning Go"}},
	{"dolls house", []string{"Ibsen’s Plays: Ghosts & A Doll's House"}},
	{"ibsen's ghosts", []string{"Ibsen’s Plays: Ghosts & A Doll's House"}},
	{"history... of... time?", []string{"A Brief History of Time"}},
	{"数学分析", []string{"数学分析"}},
	{"数学", []string{"数学分析"}},
	{"ｃａｌｃｕｌｕｓ", []string{"Calculus", "Calculus: Early Transcendentals", "Multivariable Calculus"}},
	// prefixes
	{"algo", []string{"Introduction to Algorithms", "Data Structures and Algorithms in Java"}},
	{"intro alg", []string{"Introduction to Algorithms", "Introduction to Linear Algebra"}},
	{"biol", []string{"Campbell Biology"}},
	{"transc", []string{"Calculus: Early Transcendentals"}},
	{"comp prog", []string{"The Art of Computer Programming"}},
	{"miser", []string{"Les Misérables"}},
	// misspellings
	{"algoritms", []string{"Introduction to Algorithms", "Data Structures and Algorithms in Java"}},
	{"algorthims", []string{"Introduction to Algorithms", "Data Structures and Algorithms in Java"}},
	{"calculas", []string{"Calculus", "Calculus: Early Transcendentals", "Multivariable Calculus"}},
	{"pyschology", []string{"Psychology", "Psychology and Life"}},
	{"chemestry organic", []string{"Organic Chemistry"}},
	{"linaer algebra", []string{"Linear Algebra Done Right", "Introduction to Linear Algebra"}},
	{"phisics", []string{"Physics for Scientists and Engineers", "Fundamentals of Physics"}},
	{"miserabels", []string{"Les Misérables"}},
	{"statistical", []string{"100% Statistics_2"}},
	{"economical principals", []string{"Principles of Economics"}},
	{"xyzzyplugh", nil},
	{"xyzzyplugh calculus", nil},
	{"xyzzyplugh early transcendentals", []string{"Calculus: Early Transcendentals"}},
	// fillers and editions
	{"multivariable calculus textbook", []string{"Multivariable Calculus"}},
	{"Calculus, Early Transcendentals, 8th ed.", []string{"Calculus: Early Transcendentals"}},
	{"organic chemistry edition 3", []string{"Organic Chemistry"}},
	{"csc 242 books", []string{"Artificial Intelligence: A Modern Approach"}},
	{"manuel économie", []string{"Économie du développement"}},
	{"used multivariable calculus pdf", []string{"Multivariable Calculus"}},
	{"textbooks", nil},
	{"2nd edition", nil},
	{"xyzzyplugh book", nil},
	// hostile
	{"", nil},
	{"   ", nil},
	{"!!! ... ---", nil},
	{"*", nil},
	{"%", nil},
	{"_", nil},
	{"\"", nil},
	{"'; DROP TABLE books; --", nil},
	{"calculus' OR '1'='1", nil},
	{"calculus OR biology", nil},
	{"calculus NOT early", []string{"Calculus: Early Transcendentals"}}, // "not" is a word that no book has
	{"calculus | biology", nil},
	{"NEAR(calculus early, 5)", nil},
	{"terms:calculus", nil},
	{"\"calculus\"", []string{"Calculus", "Calculus: Early Transcendentals", "Multivariable Calculus"}},
	{"calculus*", []string{"Calculus", "Calculus: Early Transcendentals", "Multivariable Calculus"}},
	{"-calculus", []string{"Calculus", "Calculus: Early Transcendentals", "Multivariable Calculus"}},
	{"(calculus)", []string{"Calculus", "Calculus: Early Transcendentals", "Multivariable Calculus"}},
	{"^calculus:*", []string{"Calculus", "Calculus: Early Transcendentals", "Multivariable Calculus"}},
	{"cal%lus", nil},
	{"100%", []string{"100% Statistics_2", "…"}},
	{"_uuniversityofrochester", nil},
	{"_g3", nil},
	{"calculus\x00", []string{"Calculus", "Calculus: Early Transcendentals", "Multivariable Calculus"}},
	{"\xff\xfecalculus", []string{"Calculus", "Calculus: Early Transcendentals", "Multivariable Calculus"}},
	{"😀 calculus 😀", []string{"Calculus", "Calculus: Early Transcendentals", "Multivariable Calculus"}},
	{strings.Repeat("a ", 150), []string{"…"}},
	{strings.Repeat("x", 300), nil},
	{strings.Repeat("qx zv ", 50), nil},
}

func marketSearch(t *testing.T, open func(*testing.T) *MarketFixture) {
	t.Run("every query finds what it should, best first", func(t *testing.T) { everyQuery(t, open(t)) })
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a sold book is not found until it is for sale again":  searchForSale,
		"a search continues after its page":                    searchPages,
		"a query that is too long is refused":                  searchTooLong,
		"a search stops when its context is cancelled":         searchCancelled,
		"all books of a course and of an ISBN are found":       searchAll,
		"a common word finds the best of very many books":      searchCommon,
		"a name that folds to very many letters is found":      searchUnfolding,
		"a book is found by its authors as long as it has any": searchAuthors,
		"suggestions are what a text may begin":                searchSuggestions,
		"a search says what it looks for instead":              searchInstead,
	})
}

func searchAuthors(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	d := Draft("Calculus", "MTH 161", 1000)
	d.Authors = "James Stewart; Daniel Clegg"
	id := b.Post(t, ann, d).ID
	if got := b.search(t, "stewart calculus"); len(got) != 1 {
		t.Errorf("finds %q", got)
	}
	for authors, want := range map[string]int{"": 0, " Stewart, J. ": 1} {
		v := must.Get(b.Listings.Update(t.Context(), ann, id, book.Patch{Authors: &authors}))(t)
		if got := b.search(t, "stewart"); v.Authors != strings.TrimSpace(authors) || len(got) != want {
			t.Errorf("by %q is by %q and found %d times, want %d", authors, v.Authors, len(got), want)
		}
	}
	r, _ := b.Request(t, b.Join(t, "bob", user.Regular), book.RequestDraft{Name: "Topology", Course: "MTH 440", Authors: "Munkres"})
	if all, _ := must.Get2(b.Requests.ListMine(t.Context(), user.Caller{ID: r.Owner, Student: true}, market.Page{}))(t); len(all) != 1 || all[0].Authors != "Munkres" {
		t.Errorf("requests %+v", all)
	}
}

func searchSuggestions(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	for i := range 12 {
		d := Draft(fmt.Sprint("Calculus ", i%3), fmt.Sprint("MTH 16", i%2), 1000)
		if i < 2 {
			d.ISBN = "9780262033848"
		}
		b.Post(t, ann, d)
	}
	must.Get(b.Listings.Unlist(t.Context(), ann, b.Post(t, ann, Draft("Calculus unsold", "MTH 169", 1000)).ID))(t)
	for text, want := range map[string][]string{
		"mth 16":  {"course MTH 160 6", "course MTH 161 6", "title Calculus 2 4", "title Calculus 1 4", "title Calculus 0 4"},
		"MTH-161": {"course MTH 161 6", "title Calculus 2 4", "title Calculus 0 4", "title Calculus 1 4"}, "calclus 2": {"title Calculus 2 4"},
		"97802": {"isbn 9780262033848 2"}, "02620": {"isbn 9780262033848 2"}, "0262033844": {"isbn 9780262033848 2"}, "unsold": nil, "": nil, "c": nil, "!": nil,
	} {
		var got []string
		for _, s := range must.Get(b.Catalogue.Suggest(t.Context(), user.Caller{}, text))(t) {
			got = append(got, fmt.Sprint(s.Kind, " ", s.Text, " ", s.Count))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q suggests %q, want %q", text, got, want)
		}
	}
	refused(t, must.Err(b.Catalogue.Suggest(t.Context(), user.Caller{}, strings.Repeat("x", 301))), book.ErrQueryTooLong)
}

func everyQuery(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	for _, c := range catalogue {
		d := Draft(c.name, c.course, 1000)
		d.ISBN = c.isbn
		b.Post(t, ann, d)
	}
	for _, q := range queries {
		got, want := b.search(t, q.text), q.want
		if n := len(want); n > 0 && want[n-1] == "…" {
			want = want[:n-1]
			got = got[:min(len(got), len(want))]
		}
		if !slices.Equal(got, want) && len(got)+len(want) > 0 {
			t.Errorf("%.60q\nfinds %q\nwant  %q", q.text, got, want)
		}
	}
}

func searchInstead(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	for name, authors := range map[string]string{"Frankenstein": "Mary Shelley", "Henry V": "William Shakespeare", "高等数学": "", "Multivariable Calculus": "James Stewart"} {
		d := Draft(name, "ENGL 221", 1000)
		d.Authors = authors
		b.Post(t, ann, d)
	}
	for text, want := range map[string]string{
		"Frankenstein": "", "franken": "", "stewart calculus": "", "j stewart": "", "topology": "",
		"frankinstien": "Frankenstein", "shelly frankenstien": "Shelley Frankenstein", "Henry the Fifth": "Henry the 5",
		"高等数学 卷": "高等数学", "Calculus textbook, 3rd edition": "Calculus",
	} {
		found := must.Get(b.Catalogue.Find(t.Context(), user.Caller{}, text, finding.Filter{}, market.Page{}))(t)
		page := must.Get(b.Discovery.Browse(t.Context(), user.Caller{}, text, finding.Filter{}, market.Page{}))(t)
		if found.Instead != want || page.Instead != want || want != "" && len(found.Views) != 1 {
			t.Errorf("%q is looked for as %q and %q, want %q, and finds %d", text, found.Instead, page.Instead, want, len(found.Views))
		}
	}
}

func searchForSale(t *testing.T, b *MarketFixture) {
	_, _, dean, v := b.aSale(t)
	for _, text := range []string{"calculus", "calc", "calculas", "mth161"} {
		if got := b.search(t, text); len(got) != 0 {
			t.Errorf("%s finds sold books: %v", text, got)
		}
	}
	must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "mistake"))(t)
	for _, text := range []string{"calculus", "calc", "calculas", "mth161"} {
		if got := b.search(t, text); len(got) != 1 {
			t.Errorf("%s finds %v", text, got)
		}
	}
}

func searchPages(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	for _, name := range []string{"Calculus Two", "Calculus", "Advanced Calculus", "Calculus", "Calculus One", "Calculators"} {
		b.Post(t, ann, Draft(name, "MTH 161", 1000))
	}
	whole := b.search(t, "calculus")
	var got []string
	for _, page := range walk(t, 2, func(p market.Page) ([]market.BookView, market.Cursor, error) {
		defer b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)) // ranks before all following hits
		return b.Catalogue.Search(t.Context(), user.Caller{}, "calculus", finding.Filter{}, p)
	}) {
		for _, v := range page {
			got = append(got, v.Name)
		}
	}
	if !slices.Equal(got, whole) || len(got) != 5 {
		t.Errorf("page by page %v, at once %v", got, whole)
	}
}

func searchTooLong(t *testing.T, b *MarketFixture) {
	refused(t, must.Err(b.Catalogue.Search(t.Context(), user.Caller{}, strings.Repeat("x", 301), finding.Filter{}, market.Page{})), book.ErrQueryTooLong)
}

func searchCancelled(t *testing.T, b *MarketFixture) {
	b.Post(t, b.Join(t, "ann", user.Regular), Draft("Calculus", "MTH 161", 1000))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := b.Catalogue.Search(ctx, user.Caller{}, "calculus", finding.Filter{}, market.Page{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a search ran with a cancelled context: %v, want %v", err, context.Canceled)
	}
}

func searchCommon(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	for range 230 {
		b.Post(t, ann, Draft("Problems in Calculus", "MTH 162", 1000))
	}
	views, _ := must.Get2(b.Catalogue.Search(t.Context(), user.Caller{}, "calculus", finding.Filter{}, market.Page{Limit: 1}))(t)
	if len(views) != 1 || views[0].Name != "Calculus" {
		t.Errorf("the exact title is not first: %+v", views)
	}
}

// searchAll posts more books of a course and of an ISBN than a search ranks.
func searchAll(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	b.Post(t, ann, Draft("BIO 110 in a Week", "ENG 101", 1000))
	for range 10 {
		b.Post(t, ann, Draft("Cells", "BIO 110", 1000))
	}
	d := Draft("Calculus", "MTH 161", 1000)
	d.ISBN = "9780262033848"
	for range 120 {
		b.Post(t, ann, d)
	}
	for text, want := range map[string]int{"mth-161": 120, "0262033844": 120, "calculus": 100, "bio-110": 11} {
		for _, limit := range []int{1, 7, 10, 120, 200} {
			pages := walk(t, limit, func(p market.Page) ([]market.BookView, market.Cursor, error) {
				return b.Catalogue.Search(t.Context(), user.Caller{}, text, finding.Filter{}, p)
			})
			found := slices.Concat(pages...)
			seen := map[book.ID]bool{}
			for i, v := range found {
				if seen[v.ID] || i > 0 && v.ID > found[i-1].ID {
					t.Fatalf("%s by %d: book %d is at %d", text, limit, v.ID, i)
				}
				seen[v.ID] = true
			}
			if len(found) != want {
				t.Errorf("%s by %d finds %d of %d", text, limit, len(found), want)
			}
		}
	}
}

// searchUnfolding posts, requests and searches for the longest possible names, courses and
// universities.
func searchUnfolding(t *testing.T, b *MarketFixture) {
	various := func(first rune) string { // distinct letters of four bytes
		letters := make([]rune, book.MaxName)
		for i := range letters {
			letters[i] = first + rune(i*7)
		}
		return string(letters)
	}
	for i, name := range []string{strings.Repeat("㌖", book.MaxName), strings.Repeat("ﷺ", book.MaxName), various('\U00020000'), strings.Repeat("x", book.MaxName)} {
		course := string([]rune(name)[:book.MaxCourse])
		ann := b.JoinAt(t, fmt.Sprint("ann", i), string([]rune(name)[:100]), user.Regular)
		bob := b.Join(t, fmt.Sprint("bob", i), user.Regular)
		_, first := b.Request(t, bob, book.RequestDraft{Name: name, Course: course})
		v := b.Post(t, ann, Draft(name, course, 1000))
		_, found := b.Request(t, bob, book.RequestDraft{Name: name, Course: "another"})
		if len(first) != 0 || len(found) != 1 || count(b.NotificationsOf(t, bob), notification.MatchFound) != 2 {
			t.Errorf("%d: found %d, then %d, and notified of %v", i, len(first), len(found), b.NotificationsOf(t, bob))
		}
		for _, text := range []string{name, course} {
			views, _ := must.Get2(b.Catalogue.Search(t.Context(), user.Caller{}, text, finding.Filter{University: v.University}, market.Page{}))(t)
			if len(views) != 1 {
				t.Errorf("%d: a search finds %d, want 1", i, len(views))
			}
		}
		price := money.Amount(900)
		must.Get(b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Price: &price}))(t)
		b.Buy(t, bob, v.ID)
	}
}
