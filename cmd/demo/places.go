package demo

import (
	"context"

	"github.com/octavo-books/octavo/domain/desk"
	"github.com/octavo-books/octavo/domain/meeting"
)

// addPlaces gives each university a desk and two places to meet: without them nobody could say where a book changes hands.
func (g *generator) addPlaces(ctx context.Context) error {
	for i, u := range g.universities {
		words := placeWords[0]
		if u.french {
			words = placeWords[1]
		}
		g.batch.Desks = append(g.batch.Desks, desk.Desk{
			University: u.name, Place: words.desk, Hours: words.deskHours, Notes: words.notes, UpdatedAt: g.calendar.start,
		})
		for n, spot := range words.spots {
			id := meeting.PlaceID(i*len(words.spots) + n + 1)
			g.batch.Places = append(g.batch.Places, meeting.Place{
				ID: id, University: u.name, Spot: spot, OpeningHours: words.open[n], UpdatedAt: g.calendar.start,
			})
		}
	}
	return g.flush(ctx, "places", len(g.batch.Places), len(g.batch.Places))
}

// placeWords are the words of a university that reads English, and of one that reads French.
var placeWords = [...]struct {
	desk, deskHours, notes string
	spots                  [2]meeting.Spot
	open                   [2]meeting.OpeningHours
}{
	{
		"Library, service desk on the ground floor", "Monday to Friday, 10:00–18:00", "Bring your student card.",
		[2]meeting.Spot{
			{Name: "Library, main entrance", Directions: "Under the clock.", Hours: "Every day, 8:00–22:00"},
			{Name: "Student union, café", Hours: "Monday to Friday, 9:00–18:00"},
		},
		[2]meeting.OpeningHours{"Mo-Su 08:00-22:00", "Mo-Fr 09:00-18:00"},
	},
	{
		"Bibliothèque, accueil au rez-de-chaussée", "Du lundi au vendredi, de 10 h à 18 h", "Venez avec votre carte d’étudiant.",
		[2]meeting.Spot{
			{Name: "Bibliothèque, entrée principale", Directions: "Sous l’horloge.", Hours: "Tous les jours, de 8 h à 22 h"},
			{Name: "Cafétéria de la maison des étudiants", Hours: "Du lundi au vendredi, de 9 h à 18 h"},
		},
		[2]meeting.OpeningHours{"Mo-Su 08:00-22:00", "Mo-Fr 09:00-18:00"},
	},
}
