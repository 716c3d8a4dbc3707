package buyingpages

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/user"
)

// placePages is where people of an order may meet.
func (p *Pages) placePages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(web.PlacesPath, p.ForAdmins(p.places)).InMenu(80, "Places to meet", "").InMenuIf(func() bool { return p.Handover().Meets() }),
			web.Post(web.PlacesPath, p.ForAdmins(p.savePlace)).Restores(web.Restored("Places to meet", placeForm(""))), web.Post(web.PlacesPath+"/remove", p.ForAdmins(p.removePlace)),
		},
		Flashes: map[string]string{
			"place_saved":   "The place is saved.",
			"place_removed": "The place is removed.",
		},
	}
}

type placesView struct {
	Form   web.Form
	Places []meeting.Place
	More   string
	Off    bool // nobody meets
	NoZone bool // nobody has set the time zone of the campus
}

const openingHoursHint = "Such as Mo-Fr 08:00-20:00; Sa 10:00-14:00, in the time of the campus. Without them, 10:00, 13:00 and 16:00 of every day are offered."

// placeForm saves a place, a new one without an ID.
func placeForm(id string) web.Form {
	f := web.Form{Action: web.PlacesPath, Button: "Save", Fields: []web.Field{
		{Name: "university", Label: "University", Max: meeting.MaxLine},
		{Name: "name", Label: "Place", Max: meeting.MaxLine, Hint: "A public place, such as the entrance of the library."},
		{Name: "hours", Label: "Opening hours", Max: meeting.MaxLine},
		{Name: "openingHours", Label: "Opening hours for the times that are offered", Max: meeting.MaxLine, Optional: true, Hint: openingHoursHint},
		{Name: "directions", Label: "How to find it", Type: "lines", Max: meeting.MaxDirections, Optional: true},
	}}
	if id != "" {
		f.Hidden = []web.Hidden{{Name: "id", Value: id}}
	}
	return f
}

// places serves GET /dashboard/places, with the fields of the place ?id=.
func (p *Pages) places(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := r.URL.Query().Get("id")
	if id == "" {
		return p.showPlaces(w, r, by, http.StatusOK, placeForm(""))
	}
	found, err := p.Market.Meetings.FindPlace(r.Context(), by, web.IDOf[meeting.PlaceID](id))
	if err != nil {
		return err
	}
	return p.showPlaces(w, r, by, http.StatusOK, placeForm(found.ID.String()).WithValues(url.Values{
		"university": {found.University}, "name": {found.Name}, "hours": {found.Hours}, "openingHours": {string(found.OpeningHours)}, "directions": {found.Directions},
	}))
}

func (p *Pages) showPlaces(w http.ResponseWriter, r *http.Request, by user.Caller, status int, f web.Form) error {
	all, next, err := p.Market.Meetings.ListPlaces(r.Context(), by, web.PageOf(r))
	if err != nil {
		return err
	}
	v := placesView{Form: f.AtCampusOf(by), Places: all, More: web.NextLink(r, next), Off: !p.Market.Meetings.Mode().Meets(), NoZone: !p.hasZone()}
	return p.Show(w, r, status, "places", "Places to meet", v)
}

// savePlace serves POST /dashboard/places.
func (p *Pages) savePlace(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	f := r.PostForm
	_, err := p.Market.Meetings.SavePlace(r.Context(), by, meeting.Place{
		ID: web.IDOf[meeting.PlaceID](f.Get("id")), University: f.Get("university"),
		OpeningHours: meeting.OpeningHours(f.Get("openingHours")),
		Spot:         meeting.Spot{Name: f.Get("name"), Hours: f.Get("hours"), Directions: strings.ReplaceAll(f.Get("directions"), "\r\n", "\n")},
	})
	if err != nil && web.CanRetry(err) {
		return p.showPlaces(w, r, by, httpx.Status(err), placeForm(f.Get("id")).WithValues(f).WithErrors(web.LangOf(r), err))
	}
	return p.Done(w, r, err, web.PlacesPath, "place_saved")
}

// removePlace serves POST /dashboard/places/remove. One that is gone counts as removed.
func (p *Pages) removePlace(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Market.Meetings.RemovePlace(r.Context(), by, web.IDOf[meeting.PlaceID](r.PostForm.Get("id")))
	if err != nil && !errors.Is(err, meeting.ErrPlaceNotFound) {
		return err
	}
	return p.Redirect(w, r, web.PlacesPath, "place_removed")
}
