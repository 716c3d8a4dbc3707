package demo

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/octavo-books/octavo/domain/user"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// early is the share of people who were there when the market opened; the
// others came along with the books.
const early = 0.4

// Owner and Admin are who runs the campus.
const (
	OwnerEmail = user.Email("owner@northfield.example.edu")
	AdminEmail = user.Email("admin@northfield.example.edu")
)

// person makes the n-th account, counted from 0.
func (f *filler) person(n int) user.User {
	school := f.school(n)
	r := rand.New(rand.NewPCG(f.Seed, uint64(n)))
	first, last := firstNames[r.IntN(len(firstNames))], surname(r.IntN(lastNames))
	u := user.User{
		ID: user.ID(n + 1), Email: user.Email(fmt.Sprintf("%s.%s%d@%s", plain(first), plain(last), n+1, school.domain)),
		PasswordHash: f.PasswordHash, Lang: user.EN, Verified: true, CreatedAt: f.joined(n),
		Profile: &user.Profile{
			FirstName: first, LastName: last, University: school.name,
			CampusMailbox: strconv.Itoa(10_000 + r.IntN(90_000)), PaymentUsername: fmt.Sprintf("@%s-%s-%d", plain(first), plain(last), n+1),
		},
	}
	if school.domain == "vallee.example.edu" || r.IntN(20) == 0 {
		u.Lang = user.FR
	}
	switch n {
	case 0:
		u.Email, u.Role = OwnerEmail, user.Owner
	case 1:
		u.Email, u.Role = AdminEmail, user.Admin
	}
	return u
}

// joined is when the n-th account was made; who runs the campus was first.
func (f *filler) joined(n int) time.Time {
	if n < MinUsers {
		return f.calendar.start
	}
	return f.calendar.at(max(0, (float64(n)/float64(f.Users)-early)/(1-early)))
}

// school is where the n-th person studies; who runs the campus is at the first.
func (f *filler) school(n int) campus {
	if n < 2 {
		return campuses[0]
	}
	return campuses[mix(f.Seed, uint64(n))%uint64(len(campuses))]
}

// known is how many accounts there are when the part p of everything has happened.
func (f *filler) known(p float64) int {
	return min(max(int(float64(f.Users)*(early+(1-early)*p)), 2), f.Users)
}

// plain is a name as it stands in an address.
func plain(name string) string {
	folded, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn))), name)
	if err != nil {
		folded = name
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == 'ø' || r == 'Ø':
			return 'o'
		case r >= 'a' && r <= 'z':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, folded)
}
