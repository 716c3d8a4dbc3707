package user

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed common.txt
var commonText string

// commonStems is parsed on first use, because most processes check few new passwords.
var commonStems = sync.OnceValue(func() map[string]bool {
	stems := map[string]bool{}
	for line := range strings.Lines(commonText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for stem := range strings.FieldsSeq(line) {
			stems[stem] = true
		}
	}
	return stems
})

// commonEndings are what people append to a word that is too short or was rejected.
// isYear adds the years.
var commonEndings = strings.Fields(`1 2 3 4 5 6 7 8 9 0 00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26
	27 28 29 30 33 42 44 45 50 55 64 66 69 72 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99
	000 007 100 101 111 112 121 123 124 200 222 234 247 321 333 345 360 420 444 456 500 555 567 666 678 777 789 888 911 999
	1111 1212 1234 4321 2000 2222 3333 4444 5555 5678 6666 6789 7777 8888 9999 12345 54321 123456 654321 1234567 12345678 123456789
	a x abc xyz qwe asd qwerty`)

// rows are runs of keys on keyboards and of the alphabet; reversed runs count too.
var rows = []string{
	"01234567890123456789", "abcdefghijklmnopqrstuvwxyz", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./", "qwertzuiop", "azertyuiop",
	"!@#$%^&*()",
}

// isCommon reports whether p is among the passwords that attackers try first: a listed
// word, alone or with a common ending, or a run along the keyboard or the alphabet, in
// any case.
func isCommon(p string) bool {
	p = strings.ToLower(p)
	if isStem(p) || isRun(p) {
		return true
	}
	for _, ending := range commonEndings {
		if stem, ok := strings.CutSuffix(p, ending); ok && (isStem(stem) || isRun(stem)) {
			return true
		}
	}
	return isYear(p[max(0, len(p)-4):]) && isStem(p[:max(0, len(p)-4)])
}

func isStem(s string) bool { return commonStems()[s] }

func isYear(s string) bool {
	return len(s) == 4 && ("1950" <= s && s <= "1999" || "2000" <= s && s <= "2039") && strings.Trim(s, "0123456789") == ""
}

// isRun reports whether s is a run of at least four neighbouring keys, forwards or
// backwards.
func isRun(s string) bool {
	if len(s) < 4 {
		return false
	}
	for _, row := range rows {
		if strings.Contains(row, s) || strings.Contains(reverse(row), s) {
			return true
		}
	}
	return false
}

func reverse(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}
