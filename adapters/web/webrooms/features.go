// Package webrooms lists the rooms of the HTML pages.
package webrooms

import (
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/adapters/web/accountpages"
	"github.com/octavo-books/octavo/adapters/web/applicationpages"
	"github.com/octavo-books/octavo/adapters/web/buyingpages"
	"github.com/octavo-books/octavo/adapters/web/findingpages"
	"github.com/octavo-books/octavo/adapters/web/guardingpages"
	"github.com/octavo-books/octavo/adapters/web/sellingpages"
	"github.com/octavo-books/octavo/adapters/web/talkingpages"
)

// New returns the pages of all rooms. An error means that Accent is none that theme.CSS accepts, or that the program
// was built wrongly.
func New(s web.Services, o web.Options) (*web.Pages, error) {
	p, err := web.New(s, o)
	if err != nil {
		return nil, err
	}
	return p, p.Add(rooms(p))
}

// rooms lists the rooms, after what they share.
func rooms(p *web.Pages) []web.Room {
	rooms := []web.Room{
		{Name: "", Features: []web.Feature{findingpages.Front(p), p.LanguagePages(), p.WellKnownFiles(), p.StaticFiles(), p.TextPages()}},
		{Name: web.Account, Features: accountpages.Features(p)},
		{Name: web.Account, Features: applicationpages.Features(p)},
	}
	if p.Market != nil {
		rooms = append(rooms, marketRooms(p)...)
	}
	return rooms
}

// marketRooms are the rooms of the market, as in application/market/rooms.
func marketRooms(p *web.Pages) []web.Room {
	return []web.Room{
		{Name: "", Features: []web.Feature{p.MePages(), p.ComponentPages()}},
		{Name: "selling", Features: sellingpages.Features(p)},
		{Name: "finding", Features: findingpages.Features(p)},
		{Name: "buying", Features: buyingpages.Features(p)},
		{Name: "talking", Features: talkingpages.Features(p)},
		{Name: "guarding", Features: guardingpages.Features(p)},
	}
}

// SlowPaths returns the paths without a request timeout.
func SlowPaths() (paths []string) {
	for _, room := range marketRooms(&web.Pages{Services: web.Services{Market: &web.Market{}}}) {
		for _, f := range room.Features {
			for _, r := range f.Routes {
				if r.Slow {
					paths = append(paths, r.Path)
				}
			}
		}
	}
	return paths
}
