package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/user"
)

// MustDecide returns an error if the caller is a party to what they decide about, see
// user.Affair.CheckDecision. Every decision of an admin goes through it, within its transaction.
// What the audit log gets of a caller who may because nobody else could, says so.
func (t *Tx) MustDecide(ctx context.Context, by user.Caller, about user.Affair) error {
	var staff []user.Staff
	if about.Involves(by.ID) && by.Role >= user.Owner {
		var err error
		if staff, err = t.LockStaff(ctx); err != nil {
			return err
		}
	}
	alone, err := about.CheckDecision(by, staff)
	t.Alone = t.Alone || alone
	return err
}

// aloneDetail begins the details in the audit log of what an owner decided about an affair of
// their own.
const aloneDetail = "alone"

// explain adds to a detail of the audit log that nobody else could decide.
func (t *Tx) explain(detail string) string {
	switch {
	case !t.Alone:
		return detail
	case detail == "":
		return aloneDetail
	}
	return aloneDetail + ": " + detail
}
