package user

import "github.com/octavo-books/octavo/domain/text"

// Directory is what the directory of an institution says of a user whose account it looks after.
type Directory struct {
	ExternalID            string // the directory's name for the person
	GivenName, FamilyName string
	// Inactive says that the directory has suspended the account, so that it may lift that. It does not
	// lift what an admin has decided.
	Inactive bool
}

// Person is an account as a directory knows it.
type Person struct {
	Email      string // also the name of the account
	Active     bool
	Name       string // as the person wants to be called
	Lang       Lang
	ExternalID string

	GivenName, FamilyName string
}

// maxDirectoryText bounds what is stored of a directory's texts, in bytes.
const maxDirectoryText = 200

// Person returns what a directory may know about the user.
func (u User) Person() Person {
	return Person{
		Email: string(u.Email), Active: !u.Suspended(), Name: u.Name, Lang: u.Lang, ExternalID: u.Directory.ExternalID,
		GivenName: u.Directory.GivenName, FamilyName: u.Directory.FamilyName,
	}
}

// Clean returns the person as it is stored: with one line for each text.
func (p Person) Clean() Person {
	for _, field := range []*string{&p.Name, &p.ExternalID, &p.GivenName, &p.FamilyName} {
		*field = text.Line(text.StripHidden(*field), maxDirectoryText)
	}
	return p
}

// Describe takes over what a directory says, but for the address and whether the account is active.
func (u *User) Describe(p Person) {
	u.Name, u.Lang = p.Name, p.Lang.Or(u.Lang.Or(EN))
	u.Directory.ExternalID, u.Directory.GivenName, u.Directory.FamilyName = p.ExternalID, p.GivenName, p.FamilyName
}
