package authstore

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
)

// newestFirst is how many of the newest users a search on Postgres reads before it uses an index
// of parts: they have what is common, of which the index finds more than one wants to sort.
const newestFirst = 5_000

// mostSearched is how many users a search on SQLite considers: the newest of those with all parts of
// the text, or for a text without parts, the newest.
const mostSearched = 20_000

// searchUsers narrows a list to users whose address, and if asked for, whose name contains a text.
func (i *Identity) searchUsers(ctx context.Context, query *table.Query[userRow], f auth.UserFilter, before user.ID, limit int) ([]user.User, error) {
	condition, patterns := userSearch("", f.Search, f.InNames)
	if i.db.Dialect != gormstore.Postgres {
		index, args := userCandidates(f.Search, f.InNames, rawsql.UpperBound(before))
		rows, err := query.Where("id IN ("+index+")", args...).Where(condition, patterns...).Find(ctx)
		return rawsql.Convert(rows, (*userRow).user), err
	}
	index, args := indexedUserSearch(f.Search, f.InNames)
	newest := "id IN (SELECT id FROM (SELECT id, email, name_key FROM users WHERE deleted_at IS NULL AND id < ? ORDER BY id DESC LIMIT ?) AS newest WHERE " + condition + ")"
	rows, err := query.Where(newest, append([]any{rawsql.UpperBound(before), newestFirst}, patterns...)...).Find(ctx)
	if err == nil && len(rows) < limit {
		rows, err = query.Where("id IN ("+index+")", args...).Find(ctx)
	}
	return rawsql.Convert(rows, (*userRow).user), err
}

var escapeLike = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// UserSearch returns a condition on users, whose columns have a prefix, and its arguments. It selects
// those whose address or name contains a text. It ignores case, and accents in names.
func UserSearch(prefix, search string) (condition string, values []any) {
	return userSearch(prefix, search, true)
}

func userSearch(prefix, search string, inNames bool) (condition string, values []any) {
	condition, values = prefix+`email LIKE ? ESCAPE '\'`, []any{"%" + escapeLike.Replace(strings.ToLower(search)) + "%"}
	if key := user.FoldName(search); inNames && key != "" {
		condition, values = `(`+condition+` OR `+prefix+`name_key LIKE ? ESCAPE '\')`, append(values, "%"+escapeLike.Replace(key)+"%")
	}
	return condition, values
}

// IndexedUserSearch returns a query for the ids of the users that UserSearch selects. It reads an
// index. On SQLite there may be more of them than it considers.
func IndexedUserSearch(d gormstore.Dialect, search string) (query string, values []any) {
	if d == gormstore.Postgres {
		return indexedUserSearch(search, true)
	}
	index, values := userCandidates(search, true, rawsql.UpperBound(user.ID(0)))
	condition, more := UserSearch("", search)
	return "SELECT id FROM users WHERE id IN (" + index + ") AND " + condition, append(values, more...)
}

func indexedUserSearch(search string, inNames bool) (query string, values []any) {
	email, key := strings.ToLower(search), user.FoldName(search)
	query, values = usersWith("email", email)
	if inNames && key != "" {
		names, more := usersWith("name_key", key)
		query, values = query+" UNION "+names, append(values, more...)
	}
	return query + " OFFSET 0", values
}

// usersWith selects the ids of users with a text in a column, by the index of parts of its length.
func usersWith(column, text string) (query string, values []any) {
	const searched = "(email || ' ' || COALESCE(name_key, ''))"
	index := "trigrams" + searched + " @> trigrams(?)"
	if !HasTrigrams(text) {
		index = "short_parts" + searched + " @> ARRAY[?::text]"
	}
	return "SELECT id FROM users WHERE deleted_at IS NULL AND " + index + " AND " + column + ` LIKE ? ESCAPE '\'`, []any{text, "%" + escapeLike.Replace(text) + "%"}
}

// userCandidates returns a query on SQLite for the ids below before of users who may have a text in
// the address or the name, the newest mostSearched of them.
func userCandidates(search string, inNames bool, before int64) (query string, values []any) {
	texts := []string{strings.ToLower(search)}
	if key := user.FoldName(search); inNames && key != "" {
		texts = append(texts, key)
	}
	if slices.ContainsFunc(texts, func(text string) bool { return !HasTrigrams(text) }) {
		return "SELECT id FROM users WHERE deleted_at IS NULL AND id < ? ORDER BY id DESC LIMIT ?", []any{before, mostSearched}
	}
	either := make([]string, len(texts))
	for i, text := range texts {
		either[i] = "(" + strings.Join(quotedTrigrams(text), " AND ") + ")"
	}
	return "SELECT rowid FROM user_search WHERE user_search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?",
		[]any{strings.Join(either, " OR "), before, mostSearched}
}

// maxTrigrams bounds the parts of a text that an index looks up. Most texts have fewer.
const maxTrigrams = 32

// quotedTrigrams returns the parts of three characters of a text, for FTS5.
func quotedTrigrams(text string) (parts []string) {
	for runes := []rune(text); len(runes) >= 3 && len(parts) < maxTrigrams; runes = runes[1:] {
		parts = append(parts, `"`+strings.ReplaceAll(string(runes[:3]), `"`, `""`)+`"`)
	}
	return parts
}

// HasTrigrams reports whether an index of trigrams finds a text.
func HasTrigrams(text string) bool { return utf8.RuneCountInString(text) >= 3 }
