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

// NameKey returns the name in the form that searches use, see FoldName; empty without a
// name.
func (p Profile) NameKey() string { return FoldName(strings.TrimSpace(p.FirstName + " " + p.LastName)) }

// FoldName removes case and accents from a name or a part of one, for searching.
func FoldName(s string) string { return text.Fold(s) }

// Complete reports whether the profile has everything that trading needs. An imported
// profile may have only names.
func (p Profile) Complete() bool { return p.CampusMailbox != "" && p.PaymentUsername != "" }

// Clean validates the profile and returns it in NFC, without hidden characters and
// surrounding spaces. Each field must have 1 to 100 characters, not only blanks, and no
// control characters; the error names all fields that do not.
func (p Profile) Clean() (Profile, error) {
	if err := cleanFields(
		append(p.names(), field{"campusMailbox", &p.CampusMailbox}, field{"paymentUsername", &p.PaymentUsername}),
	); err != nil {
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
