package user

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/text"
	"golang.org/x/text/unicode/norm"
)

// maxProfileField limits each field of a profile, in characters.
const maxProfileField = 100

// Profile is the marketplace's profile of a student.
type Profile struct {
	FirstName, LastName, University, CampusMailbox, PaymentUsername string
}

// NameKey returns the name in the form that searches use, see text.Fold; empty without a
// name.
func (p Profile) NameKey() string {
	return text.Fold(strings.TrimSpace(p.FirstName + " " + p.LastName))
}

// Missing returns the names of the fields without which nobody buys or sells. A profile may be without them
// until then.
func (p Profile) Missing() (names []string) {
	for _, f := range p.trading() {
		if *f.value == "" {
			names = append(names, f.name)
		}
	}
	return names
}

// Complete reports whether the profile has everything that trading needs.
func (p Profile) Complete() bool { return len(p.Missing()) == 0 }

// neededToTrade says at a field of Missing why it is asked for.
const neededToTrade = "Needed before you buy or sell for the first time."

// CheckTrade returns ErrProfileNeeded with the fields that are Missing.
func (p Profile) CheckTrade() error {
	missing := p.Missing()
	if len(missing) == 0 {
		return nil
	}
	refusal := ErrProfileNeeded.WithMsg("Please tell us first where your books and your money go.")
	for _, name := range missing {
		refusal = refusal.WithField(name, neededToTrade)
	}
	return refusal
}

// Clean validates the profile and returns it in NFC, without hidden characters and
// surrounding spaces. Each field must have 1 to 100 characters, not only blanks, and no
// control characters; the error names all fields that do not. What trading needs may be empty.
func (p Profile) Clean() (Profile, error) { return p.CleanAfter(nil) }

// CleanAfter is Clean for a profile that replaces another one: what trading needs is not taken out of it again.
func (p Profile) CleanAfter(before *Profile) (Profile, error) {
	fields := p.names()
	for i, f := range p.trading() {
		if *f.value != "" || before != nil && *before.trading()[i].value != "" {
			fields = append(fields, f)
		}
	}
	if err := cleanFields(fields); err != nil {
		return Profile{}, err
	}
	return p, nil
}

// CleanNames is Clean for the names and the university only.
func (p Profile) CleanNames() (Profile, error) {
	if err := cleanFields(p.names()); err != nil {
		return Profile{}, err
	}
	return p, nil
}

type field struct {
	name  string
	value *string
}

func (p *Profile) names() []field {
	return []field{{"firstName", &p.FirstName}, {"lastName", &p.LastName}, {"university", &p.University}}
}

// trading are the fields that only trading needs.
func (p *Profile) trading() []field {
	return []field{{"campusMailbox", &p.CampusMailbox}, {"paymentUsername", &p.PaymentUsername}}
}

func cleanFields(fields []field) error {
	refusal := ErrProfileInvalid
	for _, f := range fields {
		if !utf8.ValidString(*f.value) || strings.ContainsFunc(*f.value, unicode.IsControl) {
			refusal = refusal.WithField(f.name, "must not contain control characters")
			continue
		}
		*f.value = strings.TrimSpace(text.StripHidden(norm.NFC.String(*f.value)))
		if text.Blank(*f.value) || utf8.RuneCountInString(*f.value) > maxProfileField {
			refusal = refusal.WithField(f.name, "must have 1 to 100 characters")
		}
	}
	if refusal.Fields != nil {
		return refusal
	}
	return nil
}
