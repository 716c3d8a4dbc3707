package lexicon_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/lexicon"
)

func TestNamesWithSignsAreWordsOfTheirOwn(t *testing.T) {
	for name, want := range map[string]string{
		"C++ Primer": "cplusplus primer", "Pro C# 10": "pro csharp 10", "F#": "fsharp", "C": "c", ".NET": "dotnet net", "ASP.NET Core": "asp dotnet core net aspdotnet aspnet",
		"Modern C++17": "modern cplusplus 17", "Node.js": "node js nodejs", "CompTIA A+": "comptia aplus a", "Wi-Fi": "wi fi wifi", "A/B": "a b ab",
		"TCP/IP": "tcp ip tcpip", "M&A": "m a ma", "J. R. R. Tolkien": "j r tolkien jrr", "J.R.R.": "j r jrr", "L'Étranger": "etranger letranger",
		"Schaum's": "schaums", "Gödel": "godel goedel", "Straße": "strasse", "C♯": "csharp", "Moby-Dick": "moby dick mobydick",
	} {
		if got := strings.Join(lexicon.Split(name).Terms(), " "); got != want {
			t.Errorf("%s has the terms %q, want %q", name, got, want)
		}
	}
}

func TestWhatIsWrittenWithoutSpacesIsFoundByPairsOfCharacters(t *testing.T) {
	for name, want := range map[string]string{
		"高等数学 下册": "高等 等数 数学 下册", "数据结构(C语言版)": "数据 据结 结构 c 语言 言版", "한국어 1B": "한국 국어 1b", "ﾃﾞｰﾀ": "テー ータ", "書": "書", "線形代数I": "線形 形代 代数 i",
	} {
		if got := strings.Join(lexicon.Split(name).Words, " "); got != want {
			t.Errorf("%s has the words %q, want %q", name, got, want)
		}
	}
}

func TestNumbersHaveOneFormHoweverTheyAreWritten(t *testing.T) {
	for _, same := range [][]string{
		{"3", "iii", "three"}, {"14", "xiv", "fourteen"}, {"20th", "twentieth"}, {"mouse", "mice"}, {"index", "indices", "indexes"}, {"story", "stories"},
		{"analysis", "analyses"}, {"class", "classes"}, {"volume", "vol", "volumes"}, {"larva", "larvae"}, {"calculus", "calculi"}, {"thesis", "theses"},
	} {
		for _, w := range same {
			if lexicon.Canon(w) != lexicon.Canon(same[0]) {
				t.Errorf("%s is %q, %s is %q", same[0], lexicon.Canon(same[0]), w, lexicon.Canon(w))
			}
			for _, other := range same {
				if w != other && !slices.Contains(lexicon.Forms(w), other) {
					t.Errorf("%s has the forms %q without %s", w, lexicon.Forms(w), other)
				}
			}
		}
	}
	for name, want := range map[string]string{"One Hundred Years": "100", "Nineteen Eighty-Four": "1984", "Twenty-One Lessons": "21", "Two Thousand": "", "Six Easy Pieces": ""} {
		p := lexicon.Split(name)
		if has := slices.ContainsFunc(p.Joins, func(j lexicon.Join) bool { return j.Text == want }); has != (want != "") {
			t.Errorf("%s has the joins %v, want %q", name, p.Joins, want)
		}
	}
}

func TestDigitsOfEveryScriptAreTheSame(t *testing.T) {
	for name, want := range map[string]string{"कक्षा १२": "ककषा 12", "جزء ٣": "جزء 3", "第３巻": "第 3 巻", "𝟙𝟚": "12"} {
		if got := strings.Join(lexicon.Split(name).Words, " "); got != want {
			t.Errorf("%s has the words %q, want %q", name, got, want)
		}
	}
}

func TestASpaceBetweenWordsThatNeedNoneMayBeLeftOut(t *testing.T) {
	terms := lexicon.Split("82년생 김지영").Terms()
	for _, pair := range lexicon.Split("82년생김지영").Words {
		if !slices.Contains(terms, pair) {
			t.Errorf("%q is not among the terms %q", pair, terms)
		}
	}
}

func TestInflectedCyrillicWordsHaveOneStem(t *testing.T) {
	for _, same := range [][]string{
		{"братья", "братьев", "братьями"}, {"линейная", "линейной", "линейную"}, {"алгебра", "алгебре", "алгебры"}, {"история", "истории"}, {"мир", "мира"},
	} {
		for _, w := range same {
			if got, want := lexicon.Canon(lexicon.Split(w).Words[0]), lexicon.Canon(lexicon.Split(same[0]).Words[0]); got != want {
				t.Errorf("%s has the stem %q, want %q", w, got, want)
			}
		}
	}
}

func TestTheMainTitleEndsAtAColon(t *testing.T) {
	for name, want := range map[string]int{"On Writing: A Memoir": 2, "Moby-Dick; or, The Whale": 2, "It": 1, "": 0, "Calculus (Stewart)": 1, ": x": 1} {
		if p := lexicon.Split(name); p.Main != want {
			t.Errorf("%s has a main title of %d words, want %d", name, p.Main, want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"C++", ".NET", "l'été", "数学", "\x00\xff", "a.b.c", "+#'", "one hundred"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := lexicon.Split(s)
		for _, w := range p.Terms() {
			if w == "" || len([]rune(w)) > 64 || strings.ContainsAny(w, " _'+#-.\"") || len(lexicon.Canon(w)) == 0 {
				t.Fatalf("%q has the term %q", s, w)
			}
		}
		for _, j := range p.Spoken().Joins {
			if j.From < 0 || j.To > len(p.Words) || j.From >= j.To {
				t.Fatalf("%q has the join %v", s, j)
			}
		}
	})
}

func TestTraditionalCharactersAreAlsoSimplified(t *testing.T) {
	for text, want := range map[string][]string{
		"經濟學":   {"經濟", "濟學", "经济", "济学"},
		"三国":    {"三国"},
		"日本語":   {"日本", "本語", "本语"},
		"Gödel": {"godel", "goedel"},
		"邊城 Ⅱ":  {"邊城", "ii", "边城"},
	} {
		if got := lexicon.Split(text).Terms(); !slices.Equal(got, want) {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}
