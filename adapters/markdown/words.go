package markdown

import (
	"slices"
	"strings"
	"unicode"
)

// little are words that say nothing of what somebody looks for.
var little = strings.Fields(`a about after all an and another any are at be because been before by can could did do does doesn don for from
	get gets go goes had has have he her his how i if in into is it its just me my need no not of off on one or
	our out own put she should so some somebody someone than that the their them then there these they thing this
	to too up us use using want wants was we were what when where which who whom whose why will with without would
	you your`)

// alike are words for which the pages have another one, without their endings.
var alike = map[string][]string{
	"administrator": {"admin", "owner"}, "backup": {"back"}, "balancer": {"replica", "machine"}, "bigg": {"siz"}, "big": {"siz"},
	"bucket": {"s3"}, "certificat": {"https"}, "crash": {"fault", "restor"}, "delet": {"privacy", "eras"}, "disk": {"grow"},
	"domain": {"name"}, "downtim": {"paus"}, "email": {"mail"}, "e-mail": {"mail"}, "eras": {"delet"}, "gdpr": {"privacy"},
	"k8s": {"kubernet"}, "letsencrypt": {"https"}, "login": {"sign"}, "mfa": {"factor"}, "2fa": {"factor"},
	"migrat": {"mov", "upgrad"}, "nightly": {"night"}, "offlin": {"stop"}, "password": {"second"}, "postgresql": {"postgr"},
	"prometheus": {"metric", "monitor"}, "recover": {"restor"}, "requirement": {"siz"}, "server": {"machin"}, "signin": {"sign"},
	"setup": {"install"}, "slow": {"trac"}, "ssl": {"https"}, "supervis": {"monitor"}, "system": {"program"}, "tls": {"https"},
	"uninstall": {"remov", "install"}, "updat": {"upgrad"}, "user": {"account"}, "version": {"upgrad"}, "wak": {"alert"},
	"watch": {"monitor"},
}

// wanted returns the words of a query, each with those that mean the same.
func wanted(query string) (words [][]string) {
	all := tokens(query)
	for _, word := range all {
		if len(word) > 1 && !slices.Contains(little, word) {
			words = append(words, meaning(word))
		}
	}
	if len(words) == 0 { // nothing but little words
		for _, word := range all {
			words = append(words, []string{word})
		}
	}
	return words[:min(len(words), mostWords)]
}

func meaning(word string) []string {
	word = stem(word)
	return append([]string{word}, alike[word]...)
}

// stem leaves out the ending of a word, because a word is found by what it begins with.
func stem(word string) string {
	const least = 3
	for _, ending := range []string{"ing", "ed", "es", "e"} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) >= least+len(ending)/2 {
			return rest
		}
	}
	return word
}

// tokens are the words of a text in lower case, without the s of a plural.
func tokens(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for i, word := range words {
		if len(word) > 3 && !strings.HasSuffix(word, "ss") {
			words[i] = strings.TrimSuffix(word, "s")
		}
	}
	return words
}
