package user

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/text"
	"golang.org/x/text/unicode/norm"
)

// maxProfileField bounds each field of a profile, in characters.
const maxProfileField = 100

// Profile is what the marketplace knows of a student.
type Profile struct {
	FirstName, LastName, University, CampusMailbox, PaymentUsername string
}

// NameKey is the name as people are searched for, see FoldName; empty for none.
func (p Profile) NameKey() string { return FoldName(strings.TrimSpace(p.FirstName + " " + p.LastName)) }

// FoldName writes a name, or a part of it that is searched for, without what does
// not count: case and accents.
func FoldName(s string) string { return text.Fold(s) }

// Complete reports whether the market knows all that a trade needs. What was imported
// from another program has names alone.
func (p Profile) Complete() bool { return p.CampusMailbox != "" && p.PaymentUsername != "" }

// Clean checks the profile and returns it in NFC without hidden characters and
// without spaces around its fields. Each must have 1 to 100 characters, not blank,
// and no controls; the error names all that do not.
func (p Profile) Clean() (Profile, error) {
	if err := cleanFields(append(p.names(), field{"campusMailbox", &p.CampusMailbox}, field{"paymentUsername", &p.PaymentUsername})); err != nil {
		return Profile{}, err
	}
	return p, nil
}

// CleanNames is Clean for names and university alone.
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
