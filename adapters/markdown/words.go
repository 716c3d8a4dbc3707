package markdown

import (
	"slices"
	"strings"
	"unicode"
)

// little are words that say nothing of what somebody looks for.
var little = strings.Fields(`
	a about after all an and another any are at be because been before by can could did do does doesn don else for from
	get gets go goes had has have he her him his how i if in into is it its just make makes me my need no not now of off
	on one or our out own people please put really she should so some somebody someone take takes than that the their them
	then there these they thing this to too up us use using via want wants was we were what when where which who whom
	whose why will with without would you your`)

// alike are words for which the pages have another one, without their endings.
var alike = map[string][]string{
	"2fa": {"factor"}, "administrator": {"admin", "owner"}, "backup": {"back"}, "balancer": {"replica", "machine"},
	"ban": {"suspen", "report"}, "big": {"siz"}, "bigg": {"siz"}, "boss": {"owner", "admin"}, "brand": {"accent", "name"},
	"bucket": {"s3"}, "cert": {"https"}, "certificat": {"https"}, "check": {"verif"}, "commission": {"fee"}, "cor": {"origin"},
	"crash": {"fault", "restor"}, "delet": {"privacy", "eras"}, "disaster": {"restor", "crash"}, "disk": {"grow"},
	"domain": {"name"}, "downtim": {"paus"}, "droplet": {"machin"}, "email": {"mail"}, "eras": {"delet"}, "euro": {"currency"},
	"forward": {"rule"}, "frontend": {"origin", "page"}, "gdpr": {"privacy"}, "gmail": {"domain", "google"}, "imag": {"photo"},
	"jwt": {"token", "key"}, "k8s": {"kubernet"}, "letsencrypt": {"https"}, "login": {"sign"}, "logo": {"accent"},
	"mfa": {"factor"}, "migrat": {"mov", "upgrad"}, "mismatch": {"verify", "valid"}, "nightly": {"night"}, "offlin": {"stop"},
	"pager": {"alert"}, "pagerduty": {"alert"}, "password": {"second"}, "pictur": {"photo"}, "postgresql": {"postgr"},
	"prometheus": {"metric", "monitor"}, "receiv": {"arriv"}, "recover": {"restor"}, "recovery": {"restor"},
	"replac": {"rotat", "chang"}, "replay": {"redeliver"}, "requirement": {"siz"}, "secret": {"key"}, "server": {"machin"},
	"setup": {"install"}, "signin": {"sign"}, "slow": {"trac"}, "ssl": {"https"}, "stag": {"anonymis", "develop"},
	"supervis": {"monitor"}, "system": {"program"}, "telemetry": {"trac"}, "tls": {"https"}, "uninstall": {"remov", "install"},
	"updat": {"upgrad"}, "user": {"account"}, "version": {"upgrad"}, "vps": {"machin"}, "wak": {"alert"}, "watch": {"monitor"},
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
