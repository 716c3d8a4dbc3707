package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
)

// users is a part of market.Stores.
type users struct{ marketrows.Handle }

func (s users) FindUsers(ctx context.Context, ids ...user.ID) (map[user.ID]market.User, error) {
	return s.find(ctx, ids, "")
}

func (s users) LockUsers(ctx context.Context, ids ...user.ID) (map[user.ID]market.User, error) {
	return s.find(ctx, ids, s.Locking(rawsql.ForShare))
}

const selectStaff = `SELECT u.id, u.role, COALESCE(u.university, '') FROM users u
	WHERE u.role > 0 AND u.deleted_at IS NULL AND u.suspended_at IS NULL AND u.delete_at IS NULL ORDER BY u.id`

func (s users) LockStaff(ctx context.Context) ([]user.Staff, error) {
	return rawsql.Collect(ctx, s.Conn, readStaff, selectStaff+s.Locking(rawsql.ForShare))
}

// ListStaff implements guarding.Reader.
func (s *Store) ListStaff(ctx context.Context) ([]user.Staff, error) {
	return rawsql.Collect(ctx, s.source.Read.Conn, readStaff, selectStaff)
}

func readStaff() ([]any, func() user.Staff) {
	var s user.Staff
	return []any{&s.ID, &s.Role, &s.University}, func() user.Staff { return s }
}

var selectUsers = "SELECT " + marketrows.UserColumns("u") + " FROM users u WHERE u.id IN ("

func (s users) find(ctx context.Context, ids []user.ID, locking string) (map[user.ID]market.User, error) {
	found := make(map[user.ID]market.User, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	marks, args := rawsql.In(ids)
	all, err := rawsql.CollectUpTo(ctx, s.Conn, len(ids), marketrows.ReadUser, selectUsers+marks+") ORDER BY u.id"+locking, args...)
	for _, u := range all {
		found[u.ID] = u
	}
	return found, err
}

// FindSeller implements market.Reader.
func (s *Store) FindSeller(ctx context.Context, id user.ID, max int) (market.Seller, error) {
	seller, found, err := rawsql.One(ctx, s.source.Read.Conn, readSeller, `SELECT COALESCE(first_name, ''), COALESCE(university, ''), created_at,
		(SELECT count(*) FROM (SELECT 1 FROM orders WHERE seller_id = ? AND status = 3 LIMIT ?) AS sales),
		(SELECT count(*) FROM (SELECT 1 FROM orders WHERE seller_id = ? AND status = -1 AND cancelled_by = ? LIMIT ?) AS cancelled)
		FROM users WHERE id = ? AND deleted_at IS NULL`, int64(id), max, int64(id), int64(id), max, int64(id))
	if err == nil && !found {
		err = user.ErrNotFound
	}
	seller.Sales.More, seller.Cancelled.More = seller.Sales.N == max && max > 0, seller.Cancelled.N == max && max > 0
	return seller, err
}

func readSeller() ([]any, func() market.Seller) {
	var v market.Seller
	return []any{&v.FirstName, &v.University, rawsql.ScanTime(&v.MemberSince), &v.Sales.N, &v.Cancelled.N}, func() market.Seller { return v }
}
