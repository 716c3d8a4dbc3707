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

// initialShare is the share of users who sign up when the market opens; the others sign up
// along with the books.
const initialShare = 0.4

// OwnerEmail is the address of the owner of the campus.
func (c Config) OwnerEmail() user.Email {
	return user.Email("owner@" + universitiesIn(c.Campus)[0].domain)
}

// AdminEmail is the address of the admin of the campus.
func (c Config) AdminEmail() user.Email {
	return user.Email("admin@" + universitiesIn(c.Campus)[0].domain)
}

// newUser generates account n, counted from 0.
func (g *generator) newUser(n int) user.User {
	school := g.university(n)
	r := rand.New(rand.NewPCG(g.Seed, uint64(n)))
	first, last := firstNames[r.IntN(len(firstNames))], surname(r.IntN(lastNames))
	u := user.User{
		ID: user.ID(n + 1), Email: user.Email(fmt.Sprintf("%s.%s%d@%s", asciiLower(first), asciiLower(last), n+1, school.domain)),
		PasswordHash: g.PasswordHash, Lang: user.EN, Verified: true, CreatedAt: g.signUpTime(n),
		Profile: &user.Profile{
			FirstName: first, LastName: last, University: school.name,
			CampusMailbox:   strconv.Itoa(10_000 + r.IntN(90_000)),
			PaymentUsername: fmt.Sprintf("@%s-%s-%d", asciiLower(first), asciiLower(last), n+1),
		},
	}
	if school.french || r.IntN(20) == 0 {
		u.Lang = user.FR
	}
	switch n {
	case 0:
		u.Email, u.Role = g.OwnerEmail(), user.Owner
	case 1:
		u.Email, u.Role = g.AdminEmail(), user.Admin
	}
	return u
}

// signUpTime is when account n was created; owner and admin are the first.
func (g *generator) signUpTime(n int) time.Time {
	if n < MinUsers {
		return g.calendar.start
	}
	return g.calendar.at(max(0, (float64(n)/float64(g.Users)-initialShare)/(1-initialShare)))
}

// university is where user n studies; owner and admin are at the first.
func (g *generator) university(n int) university {
	if n < 2 {
		return g.universities[0]
	}
	return g.universities[mix(g.Seed, uint64(n))%uint64(len(g.universities))]
}

// userCount is how many accounts exist when the share p of all events has happened.
func (g *generator) userCount(p float64) int {
	return min(max(int(float64(g.Users)*(initialShare+(1-initialShare)*p)), 2), g.Users)
}

// asciiLower converts a name to the letters of an address.
func asciiLower(name string) string {
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
