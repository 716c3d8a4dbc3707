package pasted

import (
	"regexp"
	"strings"
	"unicode"
)

// Spreadsheets read a cell as a number or a date though our files quote it, and write it differently when they save the
// file: the courses 18.10 and 6.042 come back as 18.1 and, in German, 6042, MAR 12 as a day in March, 0123 as 123.

// plainNumber is a number that comes back as it was.
var plainNumber = regexp.MustCompile(`^(0|[1-9][0-9]{0,14})$`)

// numeric has digits and what stands between, before and after those of numbers, dates, times, amounts and powers of ten.
var numeric = regexp.MustCompile(`^[\p{Z}\p{Sc}\p{Nd}.,:/%‰．，：／％'’+\-]*\p{Nd}(?:[eE][+\-]?\p{Nd}+)?[\p{Z}\p{Sc}.,:/%‰．％\-]*$`)

// monthNames are the names and short names of months in languages with Latin letters.
var monthNames = strings.Join([]string{
	`jan(?:uary|uar|vier|uari|eiro)?|janv|ene(?:ro)?|gen(?:naio)?|jän(?:ner)?|styczeń|sty`,
	`feb(?:ruary|ruar|rero|braio|ruari)?|fév(?:r|rier)?|fev(?:ereiro)?|luty|lut`,
	`mar(?:ch|s|zo|ço|zec|et)?|mär(?:z)?|mrz|mrt|maart|maj`,
	`apr(?:il|ile)?|avr(?:il)?|abr(?:il)?|kwi(?:ecień)?`,
	`may|mai(?:o)?|mag(?:gio)?|mayo|mei`,
	`jun(?:e|i|io|ho)?|juin|giu(?:gno)?|cze(?:rwiec)?`,
	`jul(?:y|i|io|ho)?|juil(?:let)?|lug(?:lio)?|lip(?:iec)?`,
	`aug(?:ust|ustus)?|août|aout|ago(?:sto)?|sie(?:rpień)?`,
	`sep(?:t|tember|tembre|tiembre)?|set(?:embro|tembre)?|wrz(?:esień)?`,
	`oct(?:ober|obre|ubre)?|okt(?:ober)?|ott(?:obre)?|out(?:ubro)?|paź(?:dziernik)?`,
	`nov(?:ember|embre|iembre|embro)?|lis(?:topad)?`,
	`dec(?:ember)?|déc(?:embre)?|dez(?:ember|embro)?|dic(?:iembre|embre)?|gru(?:dzień)?`,
}, "|")

// dated is a month with numbers, in any order.
var dated = regexp.MustCompile(`^(?i:[\p{Z}\p{Nd}.,/\-]*(?:` + monthNames + `)[\p{Z}.,/\-]*[\p{Z}\p{Nd}.,/\-]*)$`)

// ReadAsNumber reports whether a spreadsheet reads a text as a number, an amount, a date or a time, in whichever
// language, and does not write it as it was.
func ReadAsNumber(cell string) bool {
	if plainNumber.MatchString(cell) || !strings.ContainsFunc(cell, unicode.IsDigit) {
		return false
	}
	return numeric.MatchString(cell) || dated.MatchString(cell)
}
