package account

import (
	"context"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// UserQuery selects users, newest first.
type UserQuery struct {
	Search  string // part of the email address; "" selects all
	InNames bool   // search first and last names as well
	First   int    // 1 to MaxPage
	After   string // EndCursor of the previous page; "" for the first page
}

// UserFilter selects accounts. The zero value selects all.
type UserFilter struct {
	Search     string // part of the address; ASCII letters match in either case
	InNames    bool   // or part of the name
	University string // user.SameUniversity
}

// UserPage is one page of users.
type UserPage struct {
	Users     []user.User
	Cursors   []string // one for each user
	HasNext   bool
	EndCursor string // "" on an empty page
}

// AuditQuery selects audit entries, newest first.
type AuditQuery struct {
	AuditFilter
	First int // 1 to MaxPage
	After string
}

// AuditFilter selects audit entries to which all of its fields apply. A zero field
// selects all.
type AuditFilter struct {
	User         user.ID // as actor or target
	Action       string
	Since, Until time.Time // the entry is not before Since, and before Until
}

// MaxPage is the largest page of users or audit entries.
const MaxPage = 200

// AuditPage is one page of audit entries.
type AuditPage struct {
	Entries   []audit.Entry
	Cursors   []string // one for each entry
	HasNext   bool
	EndCursor string // "" on an empty page
}

// maxSearch limits the length of a search, in bytes.
const maxSearch = 254

// List returns a page of the users whom the caller oversees, newest first. Admins only.
func (s *Users) List(ctx context.Context, by user.Caller, q UserQuery) (UserPage, error) {
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
	all, err := s.reader.ListUsers(ctx, UserFilter{search, q.InNames, by.Campus()}, user.ID(before), q.First+1)
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

// AuditLog returns a page of audit entries, newest first. Owners only.
func (s *Users) AuditLog(ctx context.Context, by user.Caller, q AuditQuery) (AuditPage, error) {
	if err := by.MustBe(user.Owner); err != nil {
		return AuditPage{}, err
	}
	before, err := page(q.First, q.After)
	if err != nil {
		return AuditPage{}, err
	}
	all, err := s.reader.ListAuditEntries(ctx, q.AuditFilter, before, q.First+1)
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

// page validates the arguments of a page and parses the cursor, which is the id of the
// last item of the page before.
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

// cut drops the extra item that was read to find out whether there is another page.
func cut[T any](all []T, first int) ([]T, bool) {
	return all[:min(first, len(all))], len(all) > first
}
