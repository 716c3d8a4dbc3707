package meeting

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/text"
)

// OpeningHours says when a place is open, in the time of the campus, as OpenStreetMap writes it:
// Mo-Fr 08:00-20:00; Sa 10:00-14:00. A later rule replaces an earlier one for its days. Empty: not known.
type OpeningHours string

// span is a time of the day, in minutes after midnight.
type span struct{ from, to int }

// week is when a place is open, by time.Weekday.
type week [7][]span

const openingRule = "Must be like Mo-Fr 08:00-20:00; Sa 10:00-14:00."

// tidyHours takes out what people type beside the rules.
var tidyHours = strings.NewReplacer(" - ", "-", ", ", ",", " ;", ";", "24/7", "00:00-24:00")

// Check returns the hours in one spelling; false if they are not such rules.
func (h OpeningHours) Check() (OpeningHours, bool) {
	s := strings.ReplaceAll(text.StripHidden(string(h)), "–", "-") // the dash of typesetters
	s = tidyHours.Replace(strings.Join(strings.Fields(s), " "))
	s = strings.TrimSuffix(s, ";")
	if s == "" {
		return "", true
	}
	_, ok := parseWeek(s)
	return OpeningHours(s), ok && utf8.RuneCountInString(s) <= MaxLine
}

func parseWeek(s string) (w week, ok bool) {
	for rule := range strings.SplitSeq(s, ";") {
		days, times, two := strings.Cut(strings.TrimSpace(rule), " ")
		if !two {
			days, times = "Mo-Su", days
		}
		on, known := parseDays(days)
		spans, read := parseSpans(times)
		if !known || !read {
			return week{}, false
		}
		for _, day := range on {
			w[day] = spans
		}
	}
	return w, true
}

var dayNames = []string{"su", "mo", "tu", "we", "th", "fr", "sa"}

func parseDays(s string) (days []time.Weekday, ok bool) {
	for part := range strings.SplitSeq(strings.ToLower(s), ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, to := slices.Index(dayNames, first), slices.Index(dayNames, last)
		if from < 0 || to < 0 {
			return nil, false
		}
		for day := from; ; day = (day + 1) % len(dayNames) {
			days = append(days, time.Weekday(day))
			if day == to {
				break
			}
		}
	}
	return days, true
}

func parseSpans(s string) (spans []span, ok bool) {
	if s == "off" || s == "closed" {
		return nil, true
	}
	for part := range strings.SplitSeq(s, ",") {
		opens, closes, isRange := strings.Cut(part, "-")
		from, known := parseClock(opens)
		to, read := parseClock(closes)
		if !isRange || !known || !read || from >= to {
			return nil, false
		}
		spans = append(spans, span{from, to})
	}
	return spans, true
}

// parseClock returns the minutes after midnight of 8:00, 08:00 or 24:00.
func parseClock(s string) (minutes int, ok bool) {
	h, m, two := strings.Cut(s, ":")
	hour, wrongHour := strconv.ParseUint(h, 10, 8)
	minute, wrongMinute := strconv.ParseUint(m, 10, 8)
	minutes = int(hour)*60 + int(minute)
	return minutes, two && len(h) <= 2 && len(m) == 2 && wrongHour == nil && wrongMinute == nil && minute < 60 && minutes <= 24*60
}
