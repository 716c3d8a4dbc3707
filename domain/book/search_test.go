package book_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

// candidates are in the order of posting.
var candidates = []book.Candidate{
	{ID: 1, Name: "Calculus", Course: "MTH 161"},
	{ID: 2, Name: "Multivariable Calculus", Course: "MTH 164"},
	{ID: 3, Name: "Calculus: Early Transcendentals", Course: "MTH 161"},
	{ID: 4, Name: "Calcutta: A History", Course: "HIS 210"},
	{ID: 5, Name: "A Calculous Affair", Course: "ENG 101"},
	{ID: 6, Name: "Physics for Calculus Students", Course: "PHY 121"},
	{ID: 7, Name: "Introduction to Algorithms", Course: "CSC 172"},
	{ID: 8, Name: "Calculus", Course: "MTH 162"},
	{ID: 9, Name: "CSC 172 Lab Notes", Course: "CSC 171"},
}

func rank(t *testing.T, text string) (ids []book.ID) {
	t.Helper()
	q := must.Get(book.ParseQuery(text))(t)
	for _, h := range book.Rank(q, "", append(slices.Clone(candidates), candidates...)) {
		ids = append(ids, h.ID)
	}
	return ids
}

func TestTheBestMatchComesFirst(t *testing.T) {
	for text, want := range map[string][]book.ID{
		"calculus":          {8, 1, 3, 2, 6, 5},
		"CALC":              {8, 1, 4, 3, 5, 2, 6},
		"calculus students": {6},
		"early calculus":    {3},
		"csc172":            {7, 9},
		"csc 172":           {7, 9},
		"mth 161":           {3, 1},
		"algoritms":         {7},
		"algorthims":        {7},
		"biology":           nil,
		"...":               nil,
	} {
		got := rank(t, text)
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", text, got, want)
		}
	}
}

func TestAQueryIsBounded(t *testing.T) {
	must.Refuse(t, must.Err(book.ParseQuery(strings.Repeat("é", 301))), book.ErrQueryTooLong)
	q, err := book.ParseQuery("\xff\x00 ?!")
	if err != nil || !q.Empty() {
		t.Errorf("%+v, %v", q, err)
	}
}

func TestRankingDoesNotDependOnTheOrderOfCandidates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := must.Get(book.ParseQuery(rapid.SampledFrom([]string{"calculus", "calc", "mth 161", "calculos", "csc172"}).Draw(t, "text")))(t)
		hits := book.Rank(q, "", candidates)
		shuffled := book.Rank(q, "", rapid.Permutation(candidates).Draw(t, "candidates"))
		if !slices.Equal(hits, shuffled) {
			t.Fatalf("%v\n%v", hits, shuffled)
		}
		if !slices.IsSortedFunc(hits, func(a, b book.Hit) int { return cmp.Compare(b.Score, a.Score) }) {
			t.Fatalf("not sorted: %v", hits)
		}
	})
}

func TestTermsIncludeThePartsOfACourseCode(t *testing.T) {
	b := book.Book{Details: book.Details{Name: "Data in Data", Course: "CSC172-A"}}
	if got, want := b.Terms(), []string{"data", "in", "csc", "172", "csc172", "a", "csc172a"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAWordMayHaveOneErrorAndALongWordTwo(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"algoritms", "algorithms"}: true, {"algorthims", "algorithms"}: true, {"calcolus", "calculus"}: true,
		{"clac", "calc"}: true, {"art", "arc"}: false, {"chem", "them"}: true, {"book", "cooks"}: false,
		{"csc172", "csc173"}: false, {"biology", "geology"}: false, {"économie", "economie"}: true,
		{"grate", "great"}: true, {"apostle", "apostol"}: true, {"shigly", "highly"}: false, {"trail", "trial"}: true,
		{"statistics", "statistik"}: true, {"statistics", "sttstcs"}: false,
	} {
		if book.Near(pair[0], pair[1]) != want || book.Near(pair[1], pair[0]) != want {
			t.Errorf("%v near: want %v", pair, want)
		}
	}
}

func TestAWordOfThreeLettersMayBeTypedWithOneTooMany(t *testing.T) {
	if !book.Near("rhye", "rye") || book.Near("rye", "rhye") || book.Near("rie", "rye") {
		t.Error("only a longer word is a misspelling of three letters")
	}
	if shared := book.SpellingsOf("rye"); !slices.Equal(shared, []string{"rye"}) || !slices.Contains(book.Spellings("rhye"), "rye") {
		t.Errorf("rye is found under %q", shared)
	}
	if book.SpellingsOf("172") != nil {
		t.Error("another digit is another course")
	}
}

func TestAFormOfAWordMayBeMisspelled(t *testing.T) {
	if !book.Resemble("shigly", "shigleys") || !book.Resemble("братьев", "братья") || book.Resemble("calculus", "algebra") {
		t.Error("a word stands for the forms that it resembles")
	}
}

func TestOneWrongCharacterIsOneMistake(t *testing.T) {
	for words, want := range map[string]int{"": 0, "pdf": 1, "pdf used": 2, "钱钟 钟书": 1, "ェー ーの": 1, "年生 生김 xx": 2, "数学 物理": 2} {
		if got := book.Mistakes(strings.Fields(words)); got != want {
			t.Errorf("%q are %d mistakes, want %d", words, got, want)
		}
	}
}

func TestAMisspelledWordSharesASpellingWithTheRightOne(t *testing.T) {
	letter := rapid.RuneFrom([]rune("abcdeé"))
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.SliceOfN(letter, 5, 12).Draw(t, "word")
		i := rapid.IntRange(0, len(w)-2).Draw(t, "place")
		misspelled := slices.Clone(w)
		switch rapid.SampledFrom([]string{"wrong", "missing", "added", "swapped"}).Draw(t, "error") {
		case "wrong":
			misspelled[i] = letter.Draw(t, "letter")
		case "missing":
			misspelled = slices.Delete(misspelled, i, i+1)
		case "added":
			misspelled = slices.Insert(misspelled, i, letter.Draw(t, "letter"))
		case "swapped":
			misspelled[i], misspelled[i+1] = misspelled[i+1], misspelled[i]
		}
		shared := func(k string) bool { return slices.Contains(book.Spellings(string(misspelled)), k) }
		if !slices.ContainsFunc(book.Spellings(string(w)), shared) {
			t.Fatalf("%s and %s share no spelling", string(w), string(misspelled))
		}
		if !book.Near(string(w), string(misspelled)) {
			t.Fatalf("%s is not near %s", string(w), string(misspelled))
		}
	})
}

func FuzzSearch(f *testing.F) {
	for _, s := range []string{"calculus", "csc-172", "\"' OR *", "978-0", "\x00\xff", "😀"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := book.ParseQuery(s)
		if err != nil {
			return
		}
		if hits := book.Rank(q, "", candidates); q.Empty() && len(hits) > 0 {
			t.Fatalf("%q is empty and finds %v", s, hits)
		}
	})
}

func TestFillersAndEditionsAreRemovedFromAQuery(t *testing.T) {
	for text, want := range map[string]string{
		"Calculus textbook": "calculus", "calculus, 8th edition": "calculus", "edition 12 of calculus": "of calculus", "calculus 8e": "calculus",
		"C++ book": "cplusplus", "CSC 172 books": "csc 172", "manuel de chimie": "de chimie", "algebra ed. 1234": "algebra 1234",
		"used calculus pdf": "calculus", "учебник по алгебре": "алгебре", "das Kapital": "kapital",
		"calculus": "", "calculus 8": "", "books": "", "2nd ed.": "", "": "", "booking": "", "theology": "",
	} {
		q := must.Get(book.ParseQuery(text))(t)
		shorter, ok := q.WithoutFillers()
		if ok != (want != "") || shorter.Title != want || ok && shorter.Empty() {
			t.Errorf("%q becomes %q", text, shorter.Title)
		}
	}
}

// Of equally good books, those of one's own campus come first, then the better condition, the lower price
// and the newer offer.
func TestEquallyGoodBooksAreInTheOrderThatBuyersPrefer(t *testing.T) {
	copies := []book.Candidate{
		{ID: 1, Condition: book.Good, Price: 500}, {ID: 2, Condition: book.New, Price: 900}, {ID: 3, Condition: book.Good, Price: 400},
		{ID: 4, Condition: book.Poor, Price: book.MaxPrice, University: "here"}, {ID: 5, Condition: book.Good, Price: 400},
	}
	for i := range copies {
		copies[i].Name = "Calculus"
	}
	better := book.Candidate{ID: 6, Name: "Calculus", Authors: "Stewart", Condition: book.Poor, Price: book.MaxPrice}
	for _, test := range []struct {
		query, campus string
		want          []book.ID
	}{{"calculus", "here", []book.ID{4, 2, 5, 3, 1}}, {"calculus", "", []book.ID{2, 5, 3, 1, 4}}, {"stewart calculus", "here", []book.ID{6}}} {
		var got []book.ID
		for _, h := range book.Rank(must.Get(book.ParseQuery(test.query))(t), test.campus, append(copies[:5:5], better)) {
			if h.ID != 6 || test.query != "calculus" {
				got = append(got, h.ID)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q at %q finds %v, want %v", test.query, test.campus, got, test.want)
		}
	}
}

func TestTwoErrorsInALongWordLeaveACommonSpelling(t *testing.T) {
	letter := rapid.RuneFrom([]rune("abcdefgh"))
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.SliceOfN(letter, 9, 12).Draw(t, "word")
		wrong := slices.Clone(w)
		for _, places := range [][2]int{{7, len(wrong) - 2}, {0, 5}} {
			i := rapid.IntRange(places[0], places[1]).Draw(t, "place")
			switch rapid.SampledFrom([]string{"wrong", "missing", "added"}).Draw(t, "error") {
			case "wrong":
				wrong[i] = letter.Draw(t, "letter")
			case "missing":
				wrong = slices.Delete(wrong, i, i+1)
			case "added":
				wrong = slices.Insert(wrong, i, letter.Draw(t, "letter"))
			}
		}
		if !book.Near(string(w), string(wrong)) {
			t.Skip("one letter too many")
		}
		shared := func(k string) bool { return slices.Contains(book.Spellings(string(wrong)), k) }
		if !slices.ContainsFunc(book.Spellings(string(w)), shared) {
			t.Fatalf("%s and %s share no spelling", string(w), string(wrong))
		}
	})
}

func TestAnISBNIsFoundInWhateverItIsPastedWith(t *testing.T) {
	for text, want := range map[string][2]string{
		"9780262033848": {"9780262033848", ""}, "isbn10 0262033844": {"9780262033848", ""}, "ISBN-13: 978-0-262-03384-8": {"9780262033848", ""},
		"https://shop.example/dp/0262033844?x=1": {"9780262033848", ""}, "https://a.example/9780262033848-algorithms": {"9780262033848", ""},
		"algorithms 978 0 262 03384 8 cormen": {"9780262033848", "algorithms cormen"}, "９７８０２６２０３３８４８": {"9780262033848", ""},
		"0-8044-2957-X": {"9780804429573", ""}, "(080442957x).": {"9780804429573", "( )."}, "9780262033849": {"", "9780262033849"},
		"978.0.262.03384.8": {"9780262033848", ""}, "see 978-O-262-O3384-8.": {"9780262033848", "see ."}, "٩٧٨٠٢٦٢٠٣٣٨٤٨": {"9780262033848", ""},
		"0.262.03384.4": {"", "0.262.03384.4"}, "math 141": {"", "math 141"}, "": {"", ""}, "979-0-2600-0043-8": {"", "979-0-2600-0043-8"}, "12345678901234567890": {"", "12345678901234567890"},
	} {
		if isbn, rest := book.FindISBN(text); string(isbn) != want[0] || rest != want[1] {
			t.Errorf("%q has the ISBN %q and %q, want %q", text, isbn, rest, want)
		}
	}
}

// What nothing has is looked for in fewer or other words, in an order.
func TestASearchThatFindsNothingIsRelaxed(t *testing.T) {
	for text, want := range map[string][]string{
		"calculus":             nil,
		"faust part two":       {"faust two"},
		"henry the fifth":      {"henry the 5"},
		"토지 2권":                {"토지 2"},
		"hibbeler statics 15":  {"hibbeler statics"},
		"d griffiths":          {"d griffiths"},
		"textbook calculus 3e": {"calculus"},
	} {
		for i := range want {
			want[i] = book.TitleKey(want[i])
		}
		var got []string
		for _, q := range must.Get(book.ParseQuery(text))(t).Relaxed() {
			got = append(got, q.Title)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestANumberAfterTheWordsMayBeAnEdition(t *testing.T) {
	editions := []book.Candidate{{ID: 1, Name: "Engineering Mechanics: Statics", Authors: "Hibbeler", Edition: 14}, {ID: 2, Name: "Engineering Mechanics: Statics", Authors: "Hibbeler", Edition: 15}}
	relaxed := must.Get(book.ParseQuery("hibbeler statics 15"))(t).Relaxed()
	if hits := book.Rank(relaxed[0], "", editions); len(hits) != 1 || hits[0].ID != 2 {
		t.Errorf("%+v", hits)
	}
}

func TestAnOrdinalIsAnEditionOrANumberInTheTitle(t *testing.T) {
	kings := []book.Candidate{{ID: 1, Name: "Henry V"}, {ID: 2, Name: "Henry VIII"}, {ID: 3, Name: "Henry V", Edition: 8}}
	if hits := book.Rank(must.Get(book.ParseQuery("henry the 8th"))(t), "", kings); len(hits) != 3 || hits[0].ID != 2 || hits[1].ID != 3 {
		t.Errorf("%+v", hits)
	}
	if hits := book.Rank(must.Get(book.ParseQuery("henry v 8th edition"))(t), "", kings); len(hits) != 2 || hits[0].ID != 3 {
		t.Errorf("%+v", hits)
	}
}

func TestAnISBNMayHaveLostItsFirstZero(t *testing.T) {
	q := must.Get(book.ParseQuery("262033844"))(t)
	if q.ISBN != "9780262033848" || !slices.Equal(q.Words, []string{"262033844"}) {
		t.Errorf("%+v", q)
	}
}

func TestMisspelledWordsAreCorrectedAsTheBookSpellsThem(t *testing.T) {
	goedel := book.Candidate{ID: 1, Name: "Gödel, Escher, Bach", Authors: "Douglas Hofstadter", Course: "PHIL 210"}
	for text, want := range map[string]string{
		"escher bach": "", "ESCHER": "", "esch": "", "godel": "", "hofstatter": "Hofstadter", "Escherr  bach by hofstater": "Escher bach by Hofstadter",
		"phil 210 hofsatdter": "phil 210 Hofstadter", "topology": "", "978-0-465-02656-2 gödle": "Gödel",
	} {
		got, ok := must.Get(book.ParseQuery(text))(t).Corrected(goedel)
		if got != want || ok != (want != "") {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
