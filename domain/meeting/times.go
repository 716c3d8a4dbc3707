package meeting

import (
	"slices"
	"time"
)

// What is offered of the times at which people may meet.
const (
	offeredDays = 4         // with a time at least
	daysAhead   = 8         // a week later every day of it has come
	notice      = time.Hour // before the first of them
	stay        = 15        // minutes that a place stays open at least
	usualTimes  = 3         // of meetingHours where no opening hours are known
	fullHour    = 60        // minutes
	halfDay     = 12 * time.Hour
)

// meetingHours are the hours of a day at which people like to meet.
var meetingHours = [...]int{10, 13, 16, 18}

// TimesToMeet returns times in the coming days at which the two sides of an order may meet at a place, in
// ascending order: when it is open, otherwise at the usual hours from tomorrow on.
func (p Place) TimesToMeet(now time.Time, zone *time.Location) (times []time.Time) {
	open, known := parseWeek(string(p.OpeningHours))
	year, month, today := now.In(zone).Date()
	ahead := 0
	if !known {
		ahead = 1
	}
	for days := 0; ahead <= daysAhead && days < offeredDays; ahead++ {
		day, before := time.Date(year, month, today+ahead, 0, 0, 0, 0, zone), len(times)
		for _, minute := range open.minutesOn(day.Add(halfDay).Weekday(), known) {
			at := time.Date(year, month, today+ahead, 0, minute, 0, 0, zone)
			changed := at.Hour()*fullHour+at.Minute() != minute // the clock skips this time
			if !changed && at.Sub(now) >= notice {
				times = append(times, at)
			}
		}
		if len(times) > before {
			days++
		}
	}
	return times
}

// minutesOn returns the minutes of a day that are offered.
func (w week) minutesOn(day time.Weekday, known bool) (minutes []int) {
	if !known {
		for _, hour := range meetingHours[:usualTimes] {
			minutes = append(minutes, hour*fullHour)
		}
		return minutes
	}
	for _, s := range w[day] {
		before := len(minutes)
		for _, hour := range meetingHours {
			if at := hour * fullHour; s.from <= at && at+stay <= s.to {
				minutes = append(minutes, at)
			}
		}
		if len(minutes) == before && s.from+stay <= s.to {
			minutes = append(minutes, s.from)
		}
	}
	slices.Sort(minutes)
	return slices.Compact(minutes)
}
