package authstore

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// FindUserByEmail implements auth.UserReader.
func (i *Identity) FindUserByEmail(ctx context.Context, email user.Email) (user.User, error) {
	found, err := rawsql.Take(ctx, table.Of[userRow](i.db.Read).Where("email = ?", string(email)), user.ErrNotFound)
	return found.user(), err
}

// FindEpochs returns the epochs of users; those who do not exist are missing.
func (i *Identity) FindEpochs(ctx context.Context, of []user.ID) (map[user.ID]int64, error) {
	found := make(map[user.ID]int64, len(of))
	for chunk := range slices.Chunk(of, 1000) {
		rows, err := table.Of[userRow](i.db.Read).Select("id", "epoch").Where("id IN ? AND deleted_at IS NULL", rawsql.Padded(chunk)).Find(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			found[user.ID(r.ID)] = r.Epoch
		}
	}
	return found, nil
}

// ListUsers implements auth.AdminReader.
func (i *Identity) ListUsers(ctx context.Context, f auth.UserFilter, before user.ID, limit int) ([]user.User, error) {
	query := table.Of[userRow](i.db.Read).Where("deleted_at IS NULL AND id < ?", rawsql.UpperBound(before))
	if f.University != "" {
		names, err := Spellings(ctx, i.db.Read, f.University)
		if err != nil {
			return nil, err
		}
		query = query.Where("university IN ?", names)
	}
	query = query.Order("id DESC").Limit(limit)
	if f.Search == "" {
		rows, err := query.Find(ctx)
		return rawsql.Convert(rows, (*userRow).user), err
	}
	return i.searchUsers(ctx, query, f, before, limit)
}

// newestFirst is how many of the newest users a search on Postgres reads before it uses an index
// of parts: they have what is common, of which the index finds more than one wants to sort.
const newestFirst = 5_000

// searchUsers narrows a list to users whose address, and if asked for, whose name contains a text.
func (i *Identity) searchUsers(ctx context.Context, query *table.Query[userRow], f auth.UserFilter, before user.ID, limit int) ([]user.User, error) {
	condition, patterns := userSearch("", f.Search, f.InNames)
	index, args := indexedUserSearch(f.Search, f.InNames)
	if i.db.Dialect != gormstore.Postgres {
		rows, err := query.Where(condition, patterns...).Find(ctx)
		return rawsql.Convert(rows, (*userRow).user), err
	}
	newest := "id IN (SELECT id FROM (SELECT id, email, name_key FROM users WHERE deleted_at IS NULL AND id < ? ORDER BY id DESC LIMIT ?) AS newest WHERE " + condition + ")"
	rows, err := query.Where(newest, append([]any{rawsql.UpperBound(before), newestFirst}, patterns...)...).Find(ctx)
	if err == nil && len(rows) < limit {
		rows, err = query.Where("id IN ("+index+")", args...).Find(ctx)
	}
	return rawsql.Convert(rows, (*userRow).user), err
}

// ListDueDeletions implements auth.DueDeletionReader.
func (i *Identity) ListDueDeletions(ctx context.Context, now time.Time, n int) ([]user.User, error) {
	rows, err := table.Of[userRow](i.db.Read).Where("delete_at <= ? AND deleted_at IS NULL", rawsql.Micros(now)).Order("delete_at, id").Limit(n).Find(ctx)
	return rawsql.Convert(rows, (*userRow).user), err
}

// Spellings lists how people spell a university in their profiles, see user.SameUniversity. It
// takes a step of the index for each university. A list without a spelling selects nobody.
func Spellings(ctx context.Context, read *gorm.DB, university string) ([]string, error) {
	var all []string
	err := read.WithContext(ctx).Raw(`WITH RECURSIVE names (name) AS (
		SELECT min(university) FROM users WHERE deleted_at IS NULL
		UNION ALL SELECT (SELECT min(university) FROM users WHERE deleted_at IS NULL AND university > name) FROM names WHERE name IS NOT NULL)
		SELECT name FROM names WHERE name IS NOT NULL`).Scan(&all).Error
	return slices.DeleteFunc(all, func(name string) bool { return !user.SameUniversity(name, university) }), err
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

// IndexedUserSearch returns a query on Postgres for the ids of the users that UserSearch selects. It
// reads an index.
func IndexedUserSearch(search string) (query string, values []any) {
	return indexedUserSearch(search, true)
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

// HasTrigrams reports whether an index of trigrams finds a text.
func HasTrigrams(text string) bool { return utf8.RuneCountInString(text) >= 3 }
