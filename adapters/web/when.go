package web

import (
	"time"

	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/user"
)

// when writes a time as people say it: 5 minutes ago, today at 15:04, or with its date.
func (p *Pages) when(f locale.Format, at time.Time) string {
	now := p.Clock.Now()
	if ago := now.Sub(at); ago >= 0 && ago < time.Hour {
		if ago < time.Minute {
			return Translate(f.Lang, "just now")
		}
		return plural(f.Lang, int(ago/time.Minute), "%s minute ago", "%s minutes ago")
	}
	switch f.DaysFrom(now, at) {
	case -1:
		return Translate(f.Lang, "yesterday, %s", f.Clock(at))
	case 0:
		return Translate(f.Lang, "today, %s", f.Clock(at))
	case 1:
		return Translate(f.Lang, "tomorrow, %s", f.Clock(at))
	}
	if days := f.DaysFrom(now, at); days > 1 && days < 7 {
		return f.Weekday(at) + ", " + f.Clock(at)
	}
	return f.Minute(at)
}

// When writes a time as people say it.
func (p *Pages) When(lang user.Lang, at time.Time) string { return p.when(p.FormatIn(lang), at) }

// Day writes a day as people say it: today, tomorrow, or with its date.
func (p *Pages) Day(lang user.Lang, at time.Time) string {
	f := p.FormatIn(lang)
	switch f.DaysFrom(p.Clock.Now(), at) {
	case 0:
		return Translate(lang, "today")
	case 1:
		return Translate(lang, "tomorrow")
	}
	return f.Weekday(at)
}
