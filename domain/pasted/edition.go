package pasted

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/domain/lexicon"
	"github.com/octavo-books/octavo/domain/text"
)

// maxEditionDigits bounds the number of an edition; whether it is plausible is up to the book.
const maxEditionDigits = 4

var (
	wholeEdition = regexp.MustCompile(`^([0-9]{1,4})([.,]0+|\.)?$`)
	eastern      = strings.NewReplacer("第", " ", "版", " ", "刷", " x ",
		"一", "1", "二", "2", "三", "3", "四", "4", "五", "5", "六", "6", "七", "7", "八", "8", "九", "9", "十", "10")
	editionSuffix = regexp.MustCompile(`^([0-9]{1,4})(st|nd|rd|th|e|er|re|ere|eme|me|nde|de|d|a|o|ste|te)$`)
)

// editionWords stand beside the number of an edition.
var editionWords = setOf(strings.Fields(
	"edition editions ed edn editie druk wydanie wyd edicion edicao edizione auflage aufl ausgabe upplaga upplagan uppl utgava uitgave " +
		"the no number numero rev revised revue e a o st nd rd th er ere re eme",
)...)

// ordinalWords are numbers in words, each language in their order. English ones are the lexicon's.
var ordinalWords = func() map[string]int {
	words := map[string]int{"second": 2, "seconde": 2, "premier": 1, "primero": 1, "segundo": 2, "primeiro": 1}
	for _, language := range []string{
		"premiere deuxieme troisieme quatrieme cinquieme sixieme septieme huitieme neuvieme dixieme onzieme douzieme treizieme quatorzieme quinzieme",
		"erste zweite dritte vierte funfte sechste siebte achte neunte zehnte", "primera segunda tercera cuarta quinta sexta septima octava novena decima",
		"primeira segunda terceira quarta quinta sexta setima oitava nona decima", "forsta andra tredje fjarde femte sjatte sjunde attonde nionde tionde",
		"prima seconda terza quarta quinta sesta settima ottava nona decima", "eerste tweede derde vierde vijfde zesde zevende achtste negende tiende",
		"pierwsze drugie trzecie czwarte piate szoste siodme osme dziewiate dziesiate",
	} {
		for i, word := range strings.Fields(language) {
			words[word] = i + 1
		}
	}
	return words
}()

func setOf(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// Edition reads the number of an edition: 3, 3.0, "3rd", "3.", "third ed.", "3e édition", "troisième", "III", "第3版". It
// returns false if there is no number, or more than one.
func Edition(typed string) (int, bool) {
	s := plain(typed, maxValue)
	if found := wholeEdition.FindStringSubmatch(s); found != nil {
		n, err := strconv.Atoi(found[1])
		return n, err == nil
	}
	if strings.IndexAny(s, "-−") == 0 { // less than zero
		return 0, false
	}
	number := 0
	for _, word := range text.Words(eastern.Replace(s)) {
		n, ok := ordinal(word)
		switch {
		case ok && number == 0 && n > 0:
			number = n
		case ok || !editionWords[word]:
			return 0, false
		}
	}
	return number, number > 0
}

// ordinal reads one folded word.
func ordinal(word string) (int, bool) {
	if n, ok := lexicon.Ordinal(word); ok {
		return n, true
	}
	if n, ok := ordinalWords[word]; ok {
		return n, true
	}
	if n, ok := lexicon.Roman(word); ok && len(word) > 1 { // one letter is mostly not meant as a number
		return n, true
	}
	if found := editionSuffix.FindStringSubmatch(word); found != nil {
		word = found[1]
	}
	if len(word) > maxEditionDigits {
		return 0, false
	}
	n, err := strconv.Atoi(word)
	return n, err == nil
}
