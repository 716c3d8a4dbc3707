package buyingpages

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// maxOffered is at how many places the page of an order offers times; the others are in a list.
const maxOffered = 3

// placeTimes are the times that are offered at a place.
type placeTimes struct {
	meeting.Place
	Days []dayTimes
}

// dayTimes are those of one day.
type dayTimes struct {
	Label string
	Times []offeredTime
}

// offeredTime is a time at a place. Value is what the form sends.
type offeredTime struct {
	Value, Clock string
	At           time.Time
}

// addTimes adds what the viewer can propose.
func (p *Pages) addTimes(r *http.Request, by user.Caller, v orderView, m *meetingView) error {
	places, err := p.Market.Meetings.PlacesOf(r.Context(), by, v.ID)
	if err != nil {
		return err
	}
	if m.NoPlaces = len(places) == 0; m.NoPlaces {
		return nil
	}
	m.MayPropose, m.NoZone, m.Otherwise = true, !p.hasZone(), p.proposalForm(web.LangOf(r), v.ID, places)
	next, _ := v.OrderView.Next(p.Market.Meetings.Mode())
	m.Asks = next.What == order.ProposeMeeting || m.Proposal != nil && !m.Agreed && m.Past
	for _, place := range places {
		if offered := p.timesAt(web.LangOf(r), place); len(offered.Days) > 0 && len(m.Places) < maxOffered {
			m.Places = append(m.Places, offered)
		}
	}
	return nil
}

// timesAt groups the times to meet at a place by the days of the campus.
func (p *Pages) timesAt(lang user.Lang, place meeting.Place) placeTimes {
	all, format := placeTimes{Place: place}, p.FormatIn(lang)
	for _, at := range place.TimesToMeet(p.Clock.Now(), p.zone()) {
		label := p.Day(lang, at)
		if n := len(all.Days); n == 0 || all.Days[n-1].Label != label {
			all.Days = append(all.Days, dayTimes{Label: label})
		}
		day := &all.Days[len(all.Days)-1]
		day.Times = append(day.Times, offeredTime{place.ID.String() + slotMark + at.UTC().Format(time.RFC3339), format.Clock(at), at})
	}
	return all
}

// slotMark is between the place and the time of one that is offered.
const slotMark = "@"

// proposedTime reads the place and the time of a proposal; zero values for what is not readable.
func (p *Pages) proposedTime(f url.Values) (meeting.PlaceID, time.Time) {
	place, slot, offered := strings.Cut(f.Get("slot"), slotMark)
	if !offered {
		return web.IDOf[meeting.PlaceID](f.Get("place")), readLocalTime(f.Get("at"), p.zoneOf(f))
	}
	at, _ := time.Parse(time.RFC3339, slot)
	return web.IDOf[meeting.PlaceID](place), at
}

// proposalForm asks where and when to meet, in the time zone of the campus.
func (p *Pages) proposalForm(lang user.Lang, id order.ID, places []meeting.Place) *web.Form {
	options := make([]web.Option, len(places))
	for i, place := range places {
		options[i] = web.Option{Value: place.ID.String(), Label: place.Name + " · " + place.Hours}
	}
	hint := web.Translate(lang, "Time zone: %s", p.zone().String())
	if !p.hasZone() {
		hint = web.Translate(lang, "Times are in GMT.")
	}
	return &web.Form{Action: meetingPath, Button: "Propose", Hidden: []web.Hidden{{Name: "id", Value: id.String()}}, Fields: []web.Field{
		{Name: "place", Label: "Place", Type: "choice", Options: options},
		{Name: "at", Label: "Date and time", Type: "datetime-local", Hint: hint},
	}}
}

// hasZone reports whether somebody has set the time zone of the campus.
func (p *Pages) hasZone() bool { return p.Zone != nil && p.Zone != time.UTC }

func (p *Pages) zone() *time.Location {
	if p.Zone == nil {
		return time.UTC
	}
	return p.Zone
}

// zoneOf is the zone of a time that was typed: that of the campus, or where none is set the one that a script has found
// in the browser, in which it also shows all times.
func (p *Pages) zoneOf(f url.Values) *time.Location {
	if zone, err := time.LoadLocation(f.Get("zone")); err == nil && !p.hasZone() && f.Has("zone") {
		return zone
	}
	return p.zone()
}

// readLocalTime reads the value of a datetime-local field; the zero time if it is none.
func readLocalTime(s string, zone *time.Location) time.Time {
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return t
		}
	}
	return time.Time{}
}
