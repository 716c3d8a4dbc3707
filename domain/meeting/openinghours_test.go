package meeting_test

import (
	"slices"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/test/must"
)

func TestOpeningHoursAreReadAsPeopleTypeThem(t *testing.T) {
	for typed, want := range map[meeting.OpeningHours]meeting.OpeningHours{
		"":                                       "",
		" Mo-Fr  08:00-20:00 ; Sa 10:00-14:00; ": "Mo-Fr 08:00-20:00; Sa 10:00-14:00",
		"mo–fr 8:00 – 20:00":                     "mo-fr 8:00-20:00",
		"Mo, We 08:00-12:00, 13:00-17:00":        "Mo,We 08:00-12:00,13:00-17:00",
		"24/7":                                   "00:00-24:00",
		"Sa-Mo 10:00-14:00; Su off":              "Sa-Mo 10:00-14:00; Su off",
	} {
		if got, ok := typed.Check(); !ok || got != want {
			t.Errorf("%q is read as %q, %v; want %q", typed, got, ok, want)
		}
	}
	for _, wrong := range []meeting.OpeningHours{"8–20", "Mo-Fr", "Mon-Fri 08:00-20:00", "Mo 20:00-08:00", "Mo 08:00-25:00", "Mo 08:60-20:00", "Mo 08:00", "; ;", "Mo 8:0-9:00"} {
		if _, ok := wrong.Check(); ok {
			t.Errorf("%q is taken for opening hours", wrong)
		}
	}
	_, err := meeting.Place{University: "Campus", Spot: meeting.Spot{Name: "Library", Hours: "8–20"}, OpeningHours: "always"}.Check()
	if f := fault.As(err); f == nil || f.Fields["openingHours"] == "" {
		t.Errorf("a place that is open %q is saved: %v", "always", err)
	}
}

func FuzzOpeningHours(f *testing.F) {
	f.Add("Mo-Fr 08:00-20:00; Sa 10:00-14:00", int64(0))
	f.Add("Sa-Mo,We 00:00-24:00; Su off", int64(1700000000))
	f.Fuzz(func(t *testing.T, typed string, at int64) {
		hours, ok := meeting.OpeningHours(typed).Check()
		if again, same := hours.Check(); ok && (!same || again != hours) {
			t.Errorf("%q is %q, and then %q, %v", typed, hours, again, same)
		}
		now := time.Unix(at%(1<<33), 0).UTC()
		for _, offered := range (meeting.Place{OpeningHours: hours}).TimesToMeet(now, time.UTC) {
			if !offered.After(now) || offered.Sub(now) > meeting.Horizon {
				t.Errorf("%s is offered at %s", offered, now)
			}
		}
	})
}

// offered are the times that a place offers at a moment, as people in a zone read them.
func offered(hours meeting.OpeningHours, now time.Time, zone *time.Location) (all []string) {
	for _, at := range (meeting.Place{OpeningHours: hours}).TimesToMeet(now, zone) {
		all = append(all, at.Format("Mon 15:04"))
	}
	return all
}

func TestTimesToMeetAreThoseAtWhichThePlaceIsOpen(t *testing.T) {
	newYork := must.Get(time.LoadLocation("America/New_York"))(t)
	friday := time.Date(2026, time.November, 27, 14, 30, 0, 0, newYork)
	for _, c := range []struct {
		hours meeting.OpeningHours
		want  []string
	}{
		{"Mo-Fr 08:00-20:00; Sa 10:00-14:00", []string{"Fri 16:00", "Fri 18:00", "Sat 10:00", "Sat 13:00", "Mon 10:00", "Mon 13:00", "Mon 16:00", "Mon 18:00", "Tue 10:00", "Tue 13:00", "Tue 16:00", "Tue 18:00"}},
		{"Th 19:30-22:00", []string{"Thu 19:30"}},
		{"Mo-Su off", nil},
		{"", []string{"Sat 10:00", "Sat 13:00", "Sat 16:00", "Sun 10:00", "Sun 13:00", "Sun 16:00", "Mon 10:00", "Mon 13:00", "Mon 16:00", "Tue 10:00", "Tue 13:00", "Tue 16:00"}},
	} {
		if got := offered(c.hours, friday.UTC(), newYork); !slices.Equal(got, c.want) {
			t.Errorf("a place that is open %q offers %q, want %q", c.hours, got, c.want)
		}
	}
}

func TestNoTimeIsOfferedThatTheClockSkips(t *testing.T) {
	berlin := must.Get(time.LoadLocation("Europe/Berlin"))(t)
	saturday := time.Date(2026, time.March, 28, 12, 0, 0, 0, berlin) // at 2 in the morning it will be 3
	want := []string{"Sun 10:00", "Sun 13:00"}
	if got := offered("Su 02:30-03:00,09:00-14:00", saturday, berlin)[:2]; !slices.Equal(got, want) {
		t.Errorf("offered are %q, want %q", got, want)
	}
}
