package guarding

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/domain/user"
)

// Decisions tells pages what they can offer to an admin.
type Decisions struct{ staff Reader }

// newDecisions returns the use case.
func newDecisions(r Reader) *Decisions { return &Decisions{r} }

// Ruling tells about what a caller may decide.
type Ruling struct {
	by    user.Caller
	staff []user.Staff
}

// Of returns what the caller, who is an admin, may decide at present.
func (d *Decisions) Of(ctx context.Context, by user.Caller) (Ruling, error) {
	if by.Role < user.Owner { // only owners decide about an affair of their own
		return Ruling{by: by}, nil
	}
	staff, err := d.staff.ListStaff(ctx)
	return Ruling{by, staff}, err
}

// Alone reports whether the caller is an owner beside whom nobody decides.
func (r Ruling) Alone() bool {
	return r.by.Role >= user.Owner && !slices.ContainsFunc(r.staff, func(s user.Staff) bool { return s.ID != r.by.ID })
}

// Check returns the error that a decision would get.
func (r Ruling) Check(about user.Affair) error {
	_, err := about.CheckDecision(r.by, r.staff)
	return err
}
