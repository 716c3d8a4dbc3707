package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/user"
)

// placePages is where people of an order may meet.
func (p *Pages) placePages() feature {
	return feature{
		routes: []*Route{
			get(placesPath, p.forAdmins(p.places)).inMenu(80, "Places to meet", "").inMenuIf(func() bool { return p.handover().Meets() }),
			post(placesPath, p.forAdmins(p.savePlace)).restores(restored("Places to meet", placeForm(""))), post(placesPath+"/remove", p.forAdmins(p.removePlace)),
		},
		flashes: map[string]string{
			"place_saved":   "The place is saved.",
			"place_removed": "The place is removed.",
		},
	}
}

type placesView struct {
	Form   form
	Places []meeting.Place
	More   string
	Off    bool // nobody meets
}

// placeForm saves a place, a new one without an ID.
func placeForm(id string) form {
	f := form{Action: placesPath, Button: "Save", Fields: []field{
		{Name: "university", Label: "University", Max: meeting.MaxLine},
		{Name: "name", Label: "Place", Max: meeting.MaxLine, Hint: "A public place, such as the entrance of the library."},
		{Name: "hours", Label: "Opening hours", Max: meeting.MaxLine},
		{Name: "directions", Label: "How to find it", Type: "lines", Max: meeting.MaxDirections, Optional: true},
	}}
	if id != "" {
		f.Hidden = []hidden{{"id", id}}
	}
	return f
}

// places serves GET /dashboard/places, with the fields of the place ?id=.
func (p *Pages) places(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := r.URL.Query().Get("id")
	if id == "" {
		return p.showPlaces(w, r, by, http.StatusOK, placeForm(""))
	}
	found, err := p.Market.Meetings.FindPlace(r.Context(), by, idOf[meeting.PlaceID](id))
	if err != nil {
		return err
	}
	return p.showPlaces(w, r, by, http.StatusOK, placeForm(found.ID.String()).withValues(url.Values{
		"university": {found.University}, "name": {found.Name}, "hours": {found.Hours}, "directions": {found.Directions},
	}))
}

func (p *Pages) showPlaces(w http.ResponseWriter, r *http.Request, by user.Caller, status int, f form) error {
	all, next, err := p.Market.Meetings.ListPlaces(r.Context(), by, pageOf(r))
	if err != nil {
		return err
	}
	v := placesView{Form: f.atCampusOf(by), Places: all, More: nextLink(r, next), Off: !p.Market.Meetings.Mode().Meets()}
	return p.show(w, r, status, "places", "Places to meet", v)
}

// savePlace serves POST /dashboard/places.
func (p *Pages) savePlace(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	f := r.PostForm
	_, err := p.Market.Meetings.SavePlace(r.Context(), by, meeting.Place{
		ID: idOf[meeting.PlaceID](f.Get("id")), University: f.Get("university"),
		Spot: meeting.Spot{Name: f.Get("name"), Hours: f.Get("hours"), Directions: strings.ReplaceAll(f.Get("directions"), "\r\n", "\n")},
	})
	if err != nil && canRetry(err) {
		return p.showPlaces(w, r, by, httpx.Status(err), placeForm(f.Get("id")).withValues(f).withErrors(langOf(r), err))
	}
	return p.done(w, r, err, placesPath, "place_saved")
}

// removePlace serves POST /dashboard/places/remove. One that is gone counts as removed.
func (p *Pages) removePlace(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Market.Meetings.RemovePlace(r.Context(), by, idOf[meeting.PlaceID](r.PostForm.Get("id")))
	if err != nil && !errors.Is(err, meeting.ErrPlaceNotFound) {
		return err
	}
	return p.redirect(w, r, placesPath, "place_removed")
}
