package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/user"
)

// mustDecide returns an error if the caller is a party to what they decide about, see
// user.Affair.CheckDecision. Every decision of an admin goes through it, within its transaction.
// What the audit log gets of a caller who may because nobody else could, says so.
func (t *tx) mustDecide(ctx context.Context, by user.Caller, about user.Affair) error {
	var staff []user.Staff
	if about.Involves(by.ID) && by.Role >= user.Owner {
		var err error
		if staff, err = t.Users.LockStaff(ctx); err != nil {
			return err
		}
	}
	alone, err := about.CheckDecision(by, staff)
	t.alone = t.alone || alone
	return err
}

// aloneDetail begins the details in the audit log of what an owner decided about an affair of
// their own.
const aloneDetail = "alone"

// explain adds to a detail of the audit log that nobody else could decide.
func (t *tx) explain(detail string) string {
	switch {
	case !t.alone:
		return detail
	case detail == "":
		return aloneDetail
	}
	return aloneDetail + ": " + detail
}

// Decisions tells pages what they can offer to an admin.
type Decisions struct{ staff StaffReader }

// NewDecisions returns the use case.
func NewDecisions(r StaffReader) *Decisions { return &Decisions{r} }

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

// Check returns the error that a decision would get.
func (r Ruling) Check(about user.Affair) error {
	_, err := about.CheckDecision(r.by, r.staff)
	return err
}
