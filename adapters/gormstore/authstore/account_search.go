package authstore

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// newestFirst is how many of the newest users a search compares before it uses an index of parts: they
// have what is common, of which Postgres' index finds more than one wants to sort. If they promise that a
// page can be filled from at most newestThen, so many of them are compared. SQLite's index finds the newest
// first, but has no parts of one or two characters: a search for those compares only the newest users.
const newestFirst, newestThen = 1_000, 10_000

// searchUsers narrows a list to users whose address, and if asked for, whose name contains a text.
func (i *Identity) searchUsers(
	ctx context.Context, query *table.Query[userRow], s userSearch, before user.ID, limit int,
) ([]user.User, error) {
	find := func(ids string, args []any) ([]user.User, error) {
		rows, err := query.Where("id IN ("+ids+")", args...).Find(ctx)
		return rawsql.Convert(rows, (*userRow).user), err
	}
	if i.db.Dialect != gormstore.Postgres && s.hasParts() {
		return find(s.hits(rawsql.UpperBound(before), limit))
	}
	condition, patterns := s.condition("")
	newest := func(n int) ([]user.User, error) {
		return find("SELECT id FROM (SELECT id, email, name_key FROM users WHERE deleted_at IS NULL AND id < ? ORDER BY id DESC LIMIT ?) AS newest WHERE "+condition,
			append([]any{rawsql.UpperBound(before), n}, patterns...))
	}
	found, err := newest(newestFirst)
	if err != nil || len(found) == limit || i.db.Dialect != gormstore.Postgres {
		return found, err
	}
	if enough := 2 * newestFirst * limit / max(len(found), 1); enough <= newestThen {
		if found, err = newest(enough); err != nil || len(found) == limit {
			return found, err
		}
	}
	return find(s.indexed())
}

// userSearch is a text to find in addresses, and in names if inNames is set.
type userSearch struct {
	text       string
	inNames    bool
	university []string // how it is spelled; nil: any
}

var escapeLike = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// UserSearch returns a condition on users, whose columns have a prefix, and its arguments. It selects
// those whose address or name contains a text. It ignores case, and accents in names.
func UserSearch(prefix, search string) (condition string, values []any) {
	return userSearch{text: search, inNames: true}.condition(prefix)
}

// email and name are the text as it stands in addresses and in names; an empty name is in none.
func (s userSearch) email() string { return strings.ToLower(s.text) }

func (s userSearch) name() string {
	if !s.inNames {
		return ""
	}
	return text.Fold(s.text)
}

func (s userSearch) condition(prefix string) (condition string, values []any) {
	condition, values = prefix+`email LIKE ? ESCAPE '\'`, []any{"%" + escapeLike.Replace(s.email()) + "%"}
	if key := s.name(); key != "" {
		condition, values = `(`+condition+` OR `+prefix+`name_key LIKE ? ESCAPE '\')`, append(values, "%"+escapeLike.Replace(key)+"%")
	}
	return condition, values
}

// hasParts reports whether an index of trigrams finds users with the text. An accent that is a character of its own
// counts in addresses only.
func (s userSearch) hasParts() bool {
	name := s.name()
	return HasTrigrams(s.email()) && (name == "" || HasTrigrams(name))
}

// IndexedUserSearch returns a query for the ids of the users that UserSearch selects. It reads an
// index. On SQLite it selects the newest n of them, and for a text of one or two characters nobody.
func IndexedUserSearch(d gormstore.Dialect, search string, n int) (query string, values []any) {
	s := userSearch{text: search, inNames: true}
	switch {
	case d == gormstore.Postgres:
		return s.indexed()
	case !s.hasParts():
		return "SELECT id FROM users WHERE FALSE", nil
	}
	return s.hits(rawsql.UpperBound(user.ID(0)), n)
}

func (s userSearch) indexed() (query string, values []any) {
	email, name := s.email(), s.name()
	if name == email || name == "" {
		condition, patterns := s.condition("")
		query, values = usersWith(email, condition, patterns)
		return query + " OFFSET 0", values
	}
	query, values = usersWith(email, `email LIKE ? ESCAPE '\'`, []any{"%" + escapeLike.Replace(email) + "%"})
	names, more := usersWith(name, `name_key LIKE ? ESCAPE '\'`, []any{"%" + escapeLike.Replace(name) + "%"})
	return query + " UNION " + names + " OFFSET 0", append(values, more...)
}

// mostIndexed is how many characters of a text are looked up in the index: the others are mostly a domain, which many
// addresses have.
const mostIndexed = 20

// usersWith selects the ids of users that meet a condition, by the index of parts of the length of a text that they have.
func usersWith(text, condition string, patterns []any) (query string, values []any) {
	const searched = "(email || ' ' || COALESCE(name_key, ''))"
	index := "trigrams" + searched + " @> trigrams(?)"
	if !HasTrigrams(text) {
		index = "short_parts" + searched + " @> ARRAY[?::text]"
	}
	parts := []rune(text)[:min(mostIndexed, utf8.RuneCountInString(text))]
	return "SELECT id FROM users WHERE deleted_at IS NULL AND " + index + " AND " + condition, append([]any{string(parts)}, patterns...)
}

// hits returns a query on SQLite for the newest n users below before with the text. FTS5 finds those
// with its parts one by one, newest first.
func (s userSearch) hits(before int64, n int) (query string, values []any) {
	match := Trigrams(s.email())
	if key := s.name(); HasTrigrams(key) && key != s.email() {
		match = "(" + match + ") OR (" + Trigrams(key) + ")"
	}
	condition, patterns := s.condition("u.")
	query, values = "SELECT u.id FROM user_search CROSS JOIN users u ON u.id = user_search.rowid WHERE user_search MATCH ? AND user_search.rowid < ? AND u.deleted_at IS NULL AND "+condition,
		append([]any{match, before}, patterns...)
	if len(s.university) > 0 {
		marks, names := rawsql.In(s.university)
		query, values = query+" AND u.university IN ("+marks+")", append(values, names...)
	}
	return query + " ORDER BY user_search.rowid DESC LIMIT ?", append(values, n)
}

// maxTrigrams bounds the parts of a text that SQLite's index looks up, as mostIndexed does on Postgres.
const maxTrigrams = 7

// Trigrams returns a search of FTS5 for texts that may contain a text: they have its parts of three
// characters, one after the other, and the last three. More parts would take longer and exclude hardly anything.
func Trigrams(text string) string {
	runes := []rune(text)
	var parts []string
	for at := 0; at+3 <= len(runes) && len(parts) < maxTrigrams; at += 3 {
		parts = append(parts, quoted(runes[at:at+3]))
	}
	if len(runes)%3 != 0 && len(parts) < maxTrigrams {
		parts = append(parts, quoted(runes[len(runes)-3:]))
	}
	return strings.Join(parts, " AND ")
}

func quoted(part []rune) string { return `"` + strings.ReplaceAll(string(part), `"`, `""`) + `"` }

// HasTrigrams reports whether an index of trigrams finds a text.
func HasTrigrams(text string) bool { return utf8.RuneCountInString(text) >= 3 }
