package auth

import (
	"context"
	"strings"

	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// maxSearch bounds what is searched for, in bytes.
const maxSearch = 254

// List is a page of people, newest first. Admins.
func (p *Users) List(ctx context.Context, by user.Caller, q UserQuery) (UserPage, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return UserPage{}, err
	}
	before, err := page(q.First, q.After)
	if err != nil {
		return UserPage{}, err
	}
	search := strings.TrimSpace(q.Search)
	switch {
	case len(search) > maxSearch:
		return UserPage{}, ErrBadPage.WithField("search", "must have at most 254 characters")
	case !text.Storable(search):
		return UserPage{}, nil
	}
	all, err := p.Admin.ListUsers(ctx, search, q.InNames, user.ID(before), q.First+1)
	if err != nil {
		return UserPage{}, err
	}
	var result UserPage
	result.Users, result.HasNext = cut(all, q.First)
	for _, u := range result.Users {
		result.EndCursor = u.ID.String()
		result.Cursors = append(result.Cursors, result.EndCursor)
	}
	return result, nil
}

// AuditLog is a page of audit entries, newest first. Owners.
func (p *Users) AuditLog(ctx context.Context, by user.Caller, q AuditQuery) (AuditPage, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return AuditPage{}, err
	}
	before, err := page(q.First, q.After)
	if err != nil {
		return AuditPage{}, err
	}
	all, err := p.Admin.ListAuditEntries(ctx, q.User, before, q.First+1)
	if err != nil {
		return AuditPage{}, err
	}
	var result AuditPage
	result.Entries, result.HasNext = cut(all, q.First)
	for _, e := range result.Entries {
		result.EndCursor = id.Format(e.ID)
		result.Cursors = append(result.Cursors, result.EndCursor)
	}
	return result, nil
}

// page checks what a page is asked for with; a cursor is the id of what came last.
func page(first int, after string) (int64, error) {
	if first < 1 || first > MaxPage {
		return 0, ErrBadPage.WithField("first", "must be 1 to 200")
	}
	if after == "" {
		return 0, nil
	}
	before, ok := id.Parse(after)
	if !ok {
		return 0, ErrBadPage.WithField("after", "is not a cursor of an earlier page")
	}
	return before, nil
}

// cut takes one page off the items, which are one more if there is another page.
func cut[T any](all []T, first int) ([]T, bool) {
	return all[:min(first, len(all))], len(all) > first
}
