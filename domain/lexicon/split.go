package lexicon

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/text"
	"golang.org/x/text/unicode/norm"
)

// umlauts are letters that are also written with two.
const umlauts = "äöüåøÄÖÜÅØ"

var withoutUmlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "å", "aa", "ø", "oe", "Ä", "ae", "Ö", "oe", "Ü",
	"ue", "Å", "aa", "Ø", "oe")

// otherSpelling spells a text without umlauts and traditional characters.
func otherSpelling(s string) string {
	if strings.ContainsAny(s, umlauts) { // most have none, and the replacer costs as much as splitting
		s = withoutUmlauts.Replace(s)
	}
	return Simplified(s)
}

// Split splits a text into words without case and accents.
func Split(s string) (p Phrase) {
	p.Read(s)
	return p
}

// Read is Split into a phrase whose memory is used again.
func (p *Phrase) Read(s string) {
	if p.lowerASCII(s) {
		p.scan(string(p.lower))
		return
	}
	p.scan(foldLetters(s))
	p.joinUnspaced()
	composed := norm.NFC.String(s)
	if spelled := otherSpelling(composed); spelled != composed {
		var other Phrase
		other.scan(foldLetters(spelled))
		for i, w := range other.Words {
			if i < len(p.Words) {
				p.join(w, i, i+1)
			}
		}
	}
}

// lowerASCII converts a text to lower case in the memory of the phrase; false if it is not ASCII.
func (p *Phrase) lowerASCII(s string) bool {
	p.lower = append(p.lower[:0], s...)
	for i, c := range p.lower {
		switch {
		case c >= utf8.RuneSelf:
			return false
		case c >= 'A' && c <= 'Z':
			p.lower[i] = c + 'a' - 'A'
		}
	}
	return true
}

// joinUnspaced adds the pairs of characters between neighbours whose space others leave out: 생김 for 82년생 김지영.
func (p *Phrase) joinUnspaced() {
	for i := 1; i < len(p.Words); i++ {
		last, _ := utf8.DecodeLastRuneInString(p.Words[i-1])
		first, _ := utf8.DecodeRuneInString(p.Words[i])
		if last != first && Unspaced(last) && Unspaced(first) { // pairs of one word share a character
			p.join(string([]rune{last, first}), i-1, i+1)
		}
	}
}

// foldLetters is text.Fold with the syllables of Korean composed again.
func foldLetters(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '♯':
			return '#'
		case '’', '‘', 'ʼ', 'ʻ', '´', '`', '׳', '״':
			return '\''
		}
		if r != '-' && unicode.Is(unicode.Pd, r) || r == '−' {
			return '-'
		}
		return text.Digit(r)
	}, norm.NFC.String(text.Fold(s)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// kind is what a character is for the scanner.
type kind int

const (
	separator kind = iota
	letter
	joiner // between the parts of one word
	sign   // after a word that it is a part of
	apostrophe
	ending // of the main title
)

func kindOf(r rune) kind {
	switch {
	case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
		return letter
	case r == ' ':
		return separator
	case r == '-' || r == '/' || r == '.' || r == '&' || r == '_' || r == '·':
		return joiner
	case r == '+' || r == '#':
		return sign
	case r == '\'':
		return apostrophe
	case r == ':' || r == ';' || r == '(' || r == '：' || r == '（':
		return ending
	case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Mc, r)):
		return letter
	}
	return separator
}

// scan splits a folded text. A word with joiners gets a join of its parts.
func (p *Phrase) scan(s string) {
	p.Words, p.Joins, p.Main = p.Words[:0], p.Joins[:0], -1
	for start := 0; start < len(s) && len(p.Words) < maxWords; {
		r, n := utf8.DecodeRuneInString(s[start:])
		if k := kindOf(r); k == separator || k == ending {
			if k == ending && p.Main < 0 && len(p.Words) > 0 {
				p.Main = len(p.Words)
			}
			start += n
			continue
		}
		end := plainEnd(s, start)
		if end < len(s) && s[end] != ' ' && s[end] != ',' && s[end] != ')' && s[end] != ':' {
			end = chunkEnd(s, end)
			p.addChunk(s[start:end])
		} else { // most words
			p.Words = append(p.Words, cut(s[start:end]))
		}
		start = end
	}
	if p.Main < 0 {
		p.Main = len(p.Words)
	}
	p.joinNumbers()
	p.joinInitials()
}

// joinInitials adds what several letters are without dots and spaces: JD for J. D.
func (p *Phrase) joinInitials() {
	for from := 0; from < len(p.Words); from++ {
		to := from
		for to < len(p.Words) && len(p.Words[to]) == 1 && p.Words[to] >= "a" {
			to++
		}
		if to-from > 1 {
			text := strings.Join(p.Words[from:to], "")
			if !slices.ContainsFunc(p.Joins, func(j Join) bool { return j.Text == text }) {
				p.join(text, from, to)
			}
			from = to
		}
	}
}

// plainEnd returns where the ASCII letters and digits from start on end.
func plainEnd(s string, start int) int {
	for start < len(s) && (s[start] >= 'a' && s[start] <= 'z' || s[start] >= '0' && s[start] <= '9') {
		start++
	}
	return start
}

// chunkEnd returns where the text between spaces ends.
func chunkEnd(s string, from int) int {
	n := strings.IndexFunc(s[from:], func(r rune) bool { k := kindOf(r); return k == separator || k == ending })
	if n < 0 {
		return len(s)
	}
	return from + n
}

// addChunk adds the words of a text between spaces.
func (p *Phrase) addChunk(chunk string) {
	first, from := len(p.Words), 0
	for i, r := range chunk {
		if kindOf(r) == joiner {
			p.addPart(chunk[from:i], from > 0 && chunk[from-1] == '.')
			from = i + utf8.RuneLen(r)
		}
	}
	p.addPart(chunk[from:], from > 0 && chunk[from-1] == '.')
	if parts := len(p.Words) - first; parts > 1 && hasJoiner(chunk) {
		joined := strings.Join(p.Words[first:], "")
		p.join(joined, first, len(p.Words))
		if as := strings.ReplaceAll(joined, "dot"+dotted, dotted); as != joined { // aspnet
			p.join(as, first, len(p.Words))
		}
	}
}

func hasJoiner(chunk string) bool {
	return strings.ContainsFunc(chunk, func(r rune) bool { return kindOf(r) == joiner })
}

// dotted are what follows a dot in names that are spoken with it.
const dotted = "net"

// elided are the words that French and Italian shorten before a vowel.
var elided = []string{"l", "d", "c", "j", "m", "n", "s", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "un", "dell", "all", "nell", "dall", "sull"}

// addPart adds what has no joiner in it; afterDot says that a dot precedes it.
func (p *Phrase) addPart(part string, afterDot bool) {
	part = strings.TrimLeft(part, "+#'")
	if part == "" {
		return
	}
	if before, after, found := strings.Cut(part, "'"); found && slices.Contains(elided, before) && after != "" && strings.ContainsRune("aeiouyh", rune(after[0])) {
		p.addWord(strings.ReplaceAll(after, "'", ""))
		p.join(strings.ReplaceAll(part, "'", ""), len(p.Words)-1, len(p.Words))
		return
	}
	part = strings.ReplaceAll(part, "'", "")
	word := strings.TrimRight(part, "+#")
	if at := strings.IndexAny(part, "+#"); at >= 0 && at < len(word) { // c++17
		rest := strings.TrimLeft(part[at:], "+#")
		p.addSigned(part[:at], part[at:len(part)-len(rest)])
		p.addPart(rest, false)
		return
	}
	if afterDot && word == dotted {
		p.addWord("dot" + word)
		p.join(word, len(p.Words)-1, len(p.Words))
		return
	}
	p.addSigned(word, part[len(word):])
}

// signed are the words that signs after a word of one or two letters make of it.
var signed = strings.NewReplacer("+", "plus", "#", "sharp")

// addSigned adds a word with the signs that follow it. C++ and C# are other words than C, while A+ can
// be found as A.
func (p *Phrase) addSigned(word, signs string) {
	if word == "" {
		return
	}
	if signs == "" || utf8.RuneCountInString(word) > 3 {
		p.addWord(word)
		return
	}
	p.addWord(word + signed.Replace(signs))
	if signs == "+" {
		p.join(word, len(p.Words)-1, len(p.Words))
	}
}

// addWord adds a word, and the pairs of characters of what is written without spaces.
func (p *Phrase) addWord(word string) {
	if word == "" {
		return
	}
	if isASCII(word) || !strings.ContainsFunc(word, Unspaced) {
		p.Words = append(p.Words, cut(word))
		return
	}
	runes := []rune(word)
	for start := 0; start < len(runes) && len(p.Words) < maxWords; {
		end := start + 1
		for end < len(runes) && Unspaced(runes[end]) == Unspaced(runes[start]) {
			end++
		}
		p.addRun(runes[start:end])
		start = end
	}
}

func (p *Phrase) addRun(run []rune) {
	if !Unspaced(run[0]) || len(run) <= 2 {
		p.Words = append(p.Words, cut(string(run)))
		return
	}
	for i := 0; i+2 <= len(run) && len(p.Words) < maxWords; i++ {
		p.Words = append(p.Words, string(run[i:i+2]))
	}
}

func cut(word string) string {
	if len(word) <= maxLetter || utf8.RuneCountInString(word) <= maxLetter {
		return word
	}
	return string([]rune(word)[:maxLetter])
}

// Unspaced reports whether a character belongs to a script that is written without spaces between
// words, or that, as Korean, attaches endings to them.
func Unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar, unicode.Tibetan) || r == 'ー' || r == '々'
}
