package archive

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Anonymiser takes names, addresses, texts, secrets and photos out of an archive. The same word becomes the same
// made-up word within one archive, so that searches and matches are as they were; nobody can tell which it was.
type Anonymiser struct {
	key      []byte
	password string // the hash that every account gets
	people   int
	Staff    []Account // the first owners and admins
}

// Account is an account of an anonymised archive.
type Account struct {
	Email string
	Role  user.Role
}

// maxStaff bounds the accounts that are listed.
const maxStaff = 5

// NewAnonymiser returns one for a single archive. The key is random, and forgotten; passwordHash is the hash of the
// password of all accounts.
func NewAnonymiser(key []byte, passwordHash string) *Anonymiser {
	return &Anonymiser{key: key, password: passwordHash}
}

// rule makes the value of a column from the whole row, by the names of its columns.
type rule func(a *Anonymiser, row map[string]any) any

// classified returns an error for a column of which nobody has said what to do with it.
func (a *Anonymiser) classified(all []Table) error {
	if a == nil {
		return nil
	}
	for _, t := range all {
		rules, kept := anonymised[t.Name]
		if !kept {
			continue
		}
		for _, c := range t.Columns {
			if _, known := rules[c.Name]; !known {
				return fmt.Errorf("--anonymise does not know the column %s of the table %s: this is a fault in the program", c.Name, t.Name)
			}
		}
	}
	return nil
}

// change changes a row in place; kept is false for one that is left out.
func (a *Anonymiser) change(t Table, values []any) (kept bool) {
	if a == nil {
		return true
	}
	rules, kept := anonymised[t.Name]
	if !kept {
		return false
	}
	row := make(map[string]any, len(values))
	for i, c := range t.Columns {
		row[c.Name] = values[i]
	}
	if t.Name == "users" {
		a.people++
		a.list(row)
	}
	for i, c := range t.Columns {
		if do := rules[c.Name]; do != nil && values[i] != nil {
			values[i] = do(a, row)
		}
	}
	return true
}

// list remembers accounts of the staff.
func (a *Anonymiser) list(row map[string]any) {
	role, _ := row["role"].(int64)
	if role > 0 && row["email"] != nil && len(a.Staff) < maxStaff {
		a.Staff = append(a.Staff, Account{a.email(), user.Role(role)})
	}
}

func (a *Anonymiser) email() string { return fmt.Sprintf("person-%d@example.edu", a.people) }

// code returns a number that nobody can guess for a text without the key.
func (a *Anonymiser) code(text string) uint64 {
	mac := hmac.New(sha256.New, a.key)
	_, _ = mac.Write([]byte(text))
	return binary.BigEndian.Uint64(mac.Sum(nil))
}

const consonants, vowels, letters = "bdfghjklmnprstvz", "aeiou", "ABCDEFGHJKLMNPQRSTUVWXYZ"

// word is the made-up word for a word.
func (a *Anonymiser) word(w string) string {
	n, made := a.code("word "+w), strings.Builder{}
	for range 4 {
		made.WriteByte(consonants[n%16])
		made.WriteByte(vowels[n/16%5])
		n /= 80
	}
	return made.String()
}

// maxWords bounds a made-up title.
const maxWords = 20

// title makes a title of as many words.
func (a *Anonymiser) title(name string) string {
	words := text.Words(name)
	words = words[:min(len(words), maxWords)]
	for i, w := range words {
		w = a.word(w)
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	if len(words) == 0 {
		return "Untitled"
	}
	return strings.Join(words, " ")
}

// course is a course code for a code, and for its key.
func (a *Anonymiser) course(code string) string {
	if code == "" {
		return ""
	}
	n := a.code("course " + text.Key(code))
	l := func() byte { n /= 24; return letters[n%24] }
	return fmt.Sprintf("%c%c%c %03d", l(), l(), l(), a.code("number "+text.Key(code))%1000)
}

// campus is a university for a university, and for its key.
func (a *Anonymiser) campus(name string) string {
	if name == "" {
		return ""
	}
	w := a.word("campus " + text.Key(name))
	return "University of " + strings.ToUpper(w[:1]) + w[1:]
}

// textOf returns the text of a column of a row.
func textOf(row map[string]any, column string) string {
	s, _ := row[column].(string)
	return s
}
