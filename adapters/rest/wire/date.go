package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"
)

// Date is a time that clients may write in four formats: RFC 3339, YYYY-MM-DD, Unix
// milliseconds, or an object of year, month and day. A date without a time means
// midnight UTC.
type Date struct{ time.Time }

var errDate = errors.New("not a date")

// UnmarshalJSON parses any of the four formats.
func (d *Date) UnmarshalJSON(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return err
	}
	t, ok := ParseDate(v)
	if !ok {
		return errDate
	}
	d.Time = t
	return nil
}

// ParseDate parses a decoded JSON value, with numbers as json.Number. It returns
// false unless the value has one of the four formats and a year from 1900 to 9999.
func ParseDate(v any) (time.Time, bool) {
	var t time.Time
	var ok bool
	switch v := v.(type) {
	case string:
		t, ok = parseText(v)
	case json.Number:
		ms, err := v.Int64()
		t, ok = time.UnixMilli(ms).UTC(), err == nil && ms > -1<<53 && ms < 1<<53
	case map[string]any:
		t, ok = parseParts(v)
	}
	return t, ok && t.Year() >= 1900 && t.Year() <= 9999
}

func parseText(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// parseParts rejects dates that do not exist, such as February 30.
func parseParts(v map[string]any) (time.Time, bool) {
	var n [3]int
	for i, part := range [...]string{"year", "month", "day"} {
		number, _ := v[part].(json.Number)
		whole, err := number.Int64()
		if err != nil || whole < 1 || whole > 9999 {
			return time.Time{}, false
		}
		n[i] = int(whole)
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], 0, 0, 0, 0, time.UTC)
	return t, t.Month() == time.Month(n[1]) && t.Day() == n[2]
}
