package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/pasted"
)

var errNoDay = fault.New(fault.Invalid, "day_invalid", "This is not a day.")

// DayOf parses a day in UTC, in which the log shows its times. It returns the zero time for
// an empty field.
func DayOf(query url.Values, name string) (time.Time, error) {
	typed := strings.TrimSpace(query.Get(name))
	if typed == "" {
		return time.Time{}, nil
	}
	day, err := (pasted.Dates{}).Read(typed)
	if err != nil || day.Year() < 1970 || day.Year() > 9999 {
		return day, errNoDay.WithField(name, "Must be a day such as 2026-09-07.")
	}
	return day, nil
}

// IDOf parses an id. It returns 0, which no object has, for an invalid text.
func IDOf[ID ~int64](s string) ID {
	n, _ := id.Parse(s)
	return ID(n)
}

// IsShort reports whether a search has one or two characters, which no index has on SQLite: the newest
// accounts or orders are compared.
func IsShort(search string) bool { return search != "" && utf8.RuneCountInString(search) < 3 }

// noStatus is the status of no book and no order.
const noStatus = -1000

// StatusOf parses the status in the query, or returns fallback if there is none.
func StatusOf(r *http.Request, fallback int) int {
	text := r.URL.Query().Get("status")
	if text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return noStatus
	}
	return n
}

// StaffRows is how many rows a list of the dashboard has.
const StaffRows = 50

// StaffPageOf is market.Page of a list of the dashboard.
func StaffPageOf(r *http.Request) market.Page {
	return market.Page{Cursor: market.Cursor(r.URL.Query().Get("cursor")), Limit: StaffRows}
}

// NextLink returns the path of the next page of a list, "" after the last.
func NextLink[C ~string](r *http.Request, next C) string {
	if next == "" {
		return ""
	}
	q := r.URL.Query()
	q.Set("cursor", string(next))
	return r.URL.Path + "?" + q.Encode()
}
