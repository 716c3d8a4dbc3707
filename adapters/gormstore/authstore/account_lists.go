package authstore

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// FindUserByEmail implements auth.Storage.
func (i *Identity) FindUserByEmail(ctx context.Context, email user.Email) (user.User, error) {
	found, err := rawsql.Take(ctx, table.Of[userRow](i.db.Read).Where("email = ?", string(email)), user.ErrNotFound)
	return found.user(), err
}

// FindEpochs returns the epochs of users; those who do not exist are missing.
func (i *Identity) FindEpochs(ctx context.Context, of []user.ID) (map[user.ID]int64, error) {
	found := make(map[user.ID]int64, len(of))
	for chunk := range slices.Chunk(of, 1000) {
		rows, err := table.Of[userRow](i.db.Read).Select("id", "epoch").
			Where("id IN ? AND deleted_at IS NULL", rawsql.Padded(chunk)).Find(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			found[user.ID(r.ID)] = r.Epoch
		}
	}
	return found, nil
}

// ListUsers implements account.Reader.
func (i *Identity) ListUsers(ctx context.Context, f account.UserFilter, before user.ID, limit int) ([]user.User, error) {
	query := table.Of[userRow](i.db.Read).Where("deleted_at IS NULL AND id < ?", rawsql.UpperBound(before))
	search := userSearch{text: f.Search, inNames: f.InNames}
	if f.University != "" {
		names, err := Spellings(ctx, i.db.Read, f.University)
		if err != nil {
			return nil, err
		}
		if f.Search == "" {
			return i.listCampus(ctx, names, before, limit)
		}
		query, search.university = query.Where("university IN ?", names), names
	}
	query = query.Order("id DESC").Limit(limit)
	if f.Search == "" {
		rows, err := query.Find(ctx)
		return rawsql.Convert(rows, (*userRow).user), err
	}
	return i.searchUsers(ctx, query, search, before, limit)
}

// listCampus lists the people of a university. It reads those with each of its spellings from an index,
// which has no order across them.
func (i *Identity) listCampus(ctx context.Context, names []string, before user.ID, limit int) ([]user.User, error) {
	if len(names) == 0 {
		return nil, nil
	}
	parts, args := make([]string, len(names)), []any(nil)
	for p, name := range names {
		parts[p] = "SELECT * FROM (SELECT id FROM users WHERE deleted_at IS NULL AND university = ? AND id < ? ORDER BY id DESC LIMIT ?) AS name" + strconv.Itoa(p)
		args = append(args, name, rawsql.UpperBound(before), limit)
	}
	rows, err := table.Of[userRow](i.db.Read).Where("id IN ("+strings.Join(parts, " UNION ALL ")+")", args...).Order("id DESC").
		Limit(limit).Find(ctx)
	return rawsql.Convert(rows, (*userRow).user), err
}

// ListPeople implements account.Reader.
func (i *Identity) ListPeople(ctx context.Context, f account.PersonFilter, offset, limit int) ([]user.User, int, error) {
	query := table.Of[userRow](i.db.Read).Where("deleted_at IS NULL")
	if f.Email != "" {
		query = query.Where("email = ?", string(f.Email))
	}
	if f.ExternalID != "" {
		query = query.Where("external_id = ? AND external_id <> ''", f.ExternalID)
	}
	if f.ID != 0 {
		query = query.Where("id = ?", int64(f.ID))
	}
	total, err := query.Count(ctx)
	if err != nil || limit == 0 || offset >= total {
		return nil, total, err
	}
	rows, err := query.Order("id").Offset(offset).Limit(limit).Find(ctx)
	return rawsql.Convert(rows, (*userRow).user), total, err
}

// ListDueDeletions implements account.Reader.
func (i *Identity) ListDueDeletions(ctx context.Context, now time.Time, n int) ([]user.User, error) {
	rows, err := table.Of[userRow](i.db.Read).Where("delete_at <= ? AND deleted_at IS NULL", rawsql.Micros(now)).
		Order("delete_at, id").Limit(n).Find(ctx)
	return rawsql.Convert(rows, (*userRow).user), err
}

// ListDeleted implements account.Reader.
func (i *Identity) ListDeleted(ctx context.Context, since time.Time, after user.ID, limit int) ([]account.Deletion, error) {
	var rows []struct{ ID, DeletedAt int64 }
	err := i.db.Read.WithContext(ctx).Raw(`SELECT id, deleted_at FROM users
		WHERE deleted_at IS NOT NULL AND deleted_at >= ? AND id > ? ORDER BY id LIMIT ?`,
		rawsql.Micros(since), int64(after), limit).Scan(&rows).Error
	all := make([]account.Deletion, len(rows))
	for n, r := range rows {
		all[n] = account.Deletion{User: user.ID(r.ID), At: time.UnixMicro(r.DeletedAt).UTC()}
	}
	return all, err
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
