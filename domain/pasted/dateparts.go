package pasted

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/text"
)

// Dates of spreadsheets are days since serialZero; those of this century have five digits.
const (
	minSerial, maxSerial = 36526, 73050
	maxMillis            = 1 << 53
)

var serialZero = time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)

var (
	timeOfDay = regexp.MustCompile(`[t ,]+[0-9]{1,2}[:h][0-9]{2}(:[0-9]{2}([.,][0-9]+)?)? ?(am|pm|a\.m\.|p\.m\.)? ?(z|utc|gmt|[+-][0-9]{2}:?[0-9]{2})?$`)
	weekday   = regexp.MustCompile(`\(?[月火水木金土日](曜日?)?\)$|[月火水木金土日]曜日?`)
	units     = strings.NewReplacer("年", "-", "月", "-", "日", " ", "년", "-", "월", "-", "일", " ")
	tokens    = regexp.MustCompile(`[0-9]+|\p{L}+`)
)

// months are the names and abbreviations of the months, folded.
var months = func() map[string]int {
	names := map[string]int{}
	for _, language := range []string{
		"january february march april may june july august september october november december",
		"jan feb mar apr may jun jul aug sep oct nov dec", "janv fevr mars avr mai juin juil aout sept oct nov dec",
		"janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
		"januar februar marz april mai juni juli august september oktober november dezember", "janner feb mrz apr mai jun jul aug sep okt nov dez",
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre", "ene feb mar abr may jun jul ago set oct nov dic",
		"janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro", "jan fev mar abr mai jun jul ago set out nov dez",
		"gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre", "gen feb mar apr mag giu lug ago set ott nov dic",
		"januari februari maart april mei juni juli augustus september oktober november december", "jan feb mrt apr maj jun jul augusti sep okt nov dec",
		"styczen luty marzec kwiecien maj czerwiec lipiec sierpien wrzesien pazdziernik listopad grudzien", "sty lut mar kwi maj cze lip sie wrz paz lis gru",
		"stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia",
	} {
		for i, name := range strings.Fields(language) {
			names[name] = i + 1
		}
	}
	return names
}()

// dateWords stand in dates without a meaning of their own: names of weekdays, endings of numbers.
var dateWords = setOf(strings.Fields(
	"monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun " +
		"lundi mardi mercredi jeudi vendredi samedi dimanche lun mer jeu ven sam dim " +
		"montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so " +
		"lunes martes miercoles jueves viernes sabado domingo mie jue vie sab dom " +
		"segunda terca quarta quinta sexta feira seg ter qua qui sex " +
		"lunedi martedi mercoledi giovedi venerdi domenica gio " +
		"maandag dinsdag woensdag donderdag vrijdag zaterdag zondag ma wo vr za zo " +
		"mandag tisdag onsdag torsdag fredag lordag sondag man tis ons tors fre lor son " +
		"poniedzialek wtorek sroda czwartek piatek sobota niedziela pon wt sr czw pt sob nd niedz " +
		"st rd th er of the le de den r",
)...)

// parseDate returns all dates that a text can mean.
func parseDate(typed string) []reading {
	s := plain(typed, maxValue)
	if t, err := time.Parse(time.RFC3339, strings.ToUpper(s)); err == nil {
		return []reading{{t.UTC(), AnyOrder}}
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return numberDate(s, n)
	}
	s = units.Replace(strings.TrimSpace(weekday.ReplaceAllString(s, "")))
	s = timeOfDay.ReplaceAllString(strings.TrimSpace(text.Fold(s)), "")
	if strings.Trim(tokens.ReplaceAllString(s, ""), " .,/-'’") != "" {
		return nil
	}
	return partsDate(s)
}

// numberDate reads a date that is one number.
func numberDate(s string, n int64) []reading {
	switch {
	case len(s) == 5 && n >= minSerial && n <= maxSerial:
		return []reading{{serialZero.AddDate(0, 0, int(n)), AnyOrder}}
	case len(s) == 8 && s[0] == '2':
		return oneDay(nil, int(n/10000), int(n/100%100), int(n%100), AnyOrder)
	case n > -maxMillis && n < maxMillis:
		return []reading{{time.UnixMilli(n).UTC(), AnyOrder}}
	}
	return nil
}

// partsDate reads the numbers and words of a date.
func partsDate(s string) []reading {
	var numbers []string
	month := 0
	said := slices.DeleteFunc(tokens.FindAllString(s, -1), func(token string) bool { return dateWords[token] })
	if len(said) == 4 && said[0] == "mar" { // Tuesday in French, Spanish and Italian
		said = said[1:]
	}
	for _, token := range said {
		switch named := months[token]; {
		case token[0] >= '0' && token[0] <= '9':
			numbers = append(numbers, token)
		case named != 0 && month == 0:
			month = named
		default:
			return nil
		}
	}
	n := make([]int, len(numbers))
	for i, digits := range numbers {
		if len(digits) > 4 || len(digits) == 3 {
			return nil
		}
		n[i], _ = strconv.Atoi(digits)
	}
	switch {
	case month != 0 && len(n) == 2 && len(numbers[0]) == 4:
		return oneDay(nil, n[0], month, n[1], AnyOrder)
	case month != 0 && len(n) == 2:
		return oneDay(nil, fullYear(n[1], numbers[1]), month, n[0], AnyOrder)
	case month == 0 && len(n) == 3:
		return threeNumbers(n, numbers, strings.Contains(s, "."))
	}
	return nil
}

// threeNumbers reads three numbers, with points or something else between them.
func threeNumbers(n []int, digits []string, points bool) []reading {
	if len(digits[0]) == 4 {
		return oneDay(nil, n[0], n[1], n[2], AnyOrder)
	}
	if len(digits[1]) > 2 {
		return nil
	}
	var all []reading
	if year := fullYear(n[2], digits[2]); len(digits[2]) > 1 {
		all = oneDay(all, year, n[1], n[0], DayFirst)
		if !points {
			all = oneDay(all, year, n[0], n[1], MonthFirst)
		}
	}
	if len(digits[0]) == 2 && len(digits[2]) <= 2 {
		all = oneDay(all, fullYear(n[0], digits[0]), n[1], n[2], YearFirst)
	}
	return all
}

// fullYear is the year of four digits.
func fullYear(n int, digits string) int {
	if len(digits) == 4 {
		return n
	}
	return 2000 + n
}

// oneDay adds a day to the readings, if there is such a day.
func oneDay(all []reading, year, month, day int, order DateOrder) []reading {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if t.Year() != year || t.Month() != time.Month(month) || t.Day() != day || year < 1900 {
		return all
	}
	return append(all, reading{t, order})
}
