package demo_test

import (
	"testing"
)

func TestEveryUniversityOfTheDemoHasADeskAndPlacesToMeet(t *testing.T) {
	m := fill(t, config(10, 60))
	desks, places := map[string]int{}, map[string]int{}
	for _, d := range m.Desks {
		if clean, err := d.Check(); err != nil || clean != d {
			t.Errorf("%+v: %v", d, err)
		}
		desks[d.University]++
	}
	for i, p := range m.Places {
		if clean, err := p.Check(); err != nil || clean != p || int(p.ID) != i+1 {
			t.Errorf("%+v: %v", p, err)
		}
		places[p.University]++
	}
	for _, u := range m.Users {
		if at := u.Profile.University; desks[at] != 1 || places[at] != 2 {
			t.Errorf("%s has %d desks and %d places", at, desks[at], places[at])
		}
	}
}
