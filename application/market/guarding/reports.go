package guarding

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// Reports takes reports about books, people, conversations and orders.
type Reports struct {
	deps          unit
	conversations Reader
	threshold     report.Threshold
}

// newReports returns the use cases of reporters.
func newReports(d unit, c Reader, t report.Threshold) *Reports {
	return &Reports{d, c, t}
}

// ReportDraft is a report before it is checked. It must have one target.
type ReportDraft struct {
	Targets []report.Target
	Reason  report.Reason
	Text    string
	Order   order.ID // of the caller and the person who is reported; 0: none. An order that is the target need not be named
}

// Add reports something that the caller can see; what they cannot see does not exist. The
// report keeps what there is to see now.
func (s *Reports) Add(ctx context.Context, by user.Caller, d ReportDraft) (report.ID, error) {
	if err := by.MustBeStudent(); err != nil {
		return 0, err
	}
	target, err := report.Check(d.Targets, d.Reason, d.Text)
	if err != nil {
		return 0, err
	}
	if d.Order != 0 && target.Kind != report.Person && target != orderTarget(d.Order) {
		return 0, errOrderOfPerson
	}
	seen, err := s.seeConversation(ctx, by, target)
	if err != nil {
		return 0, err
	}
	var id report.ID
	err = s.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		r, err := report.New(report.ID(t.IDs.Next()), by.ID, target, d.Reason, d.Text, t.Now)
		if err != nil {
			return err
		}
		r.Order = d.Order
		id, r.About, r.Seen.Messages = r.ID, seen.About, seen.Seen.Messages
		return s.add(ctx, t, by, r)
	})
	return id, err
}

// orderTarget is an order as the target of reports.
func orderTarget(id order.ID) report.Target { return report.Target{Kind: report.Order, ID: int64(id)} }

// errOrderOfPerson refuses an order with a report that is not about its other side.
var errOrderOfPerson = report.ErrTarget.WithMsg("An order can be named only to report a person.").
	WithField("orderId", "Give it alone or with userId.")

// seeConversation records the other side of a conversation of the caller, and its newest
// messages. For others, admins included, the conversation does not exist.
func (s *Reports) seeConversation(ctx context.Context, by user.Caller, on report.Target) (seen report.Report, err error) {
	if on.Kind != report.Conversation && on.Kind != report.Order {
		return seen, nil
	}
	id, err := s.findConversation(ctx, on)
	if err != nil || id == 0 && on.Kind == report.Order {
		return seen, err
	}
	c, err := s.conversations.FindConversation(ctx, id)
	if err != nil {
		return seen, err
	}
	switch {
	case c.Involves(by.ID):
	case on.Kind == report.Order: // which see refuses
		return seen, nil
	default:
		return seen, conversation.ErrNotFound
	}
	messages, err := s.conversations.ListReportedMessages(ctx, c.ID, s.deps.Clock.Now(), report.MaxMessages)
	seen.About = c.With(by.ID)
	for _, m := range messages {
		seen.Seen.Messages = append(seen.Seen.Messages, report.SeenMessage{
			From: m.From, FirstName: c.View(m).Author.FirstName, Text: m.Text, CreatedAt: m.CreatedAt,
		})
	}
	return seen, err
}

func (s *Reports) add(ctx context.Context, t *tx, by user.Caller, r report.Report) error {
	open, err := t.LockOpenReports(ctx, r.Target)
	if err != nil {
		return err
	}
	b, o, err := t.see(ctx, by, &r)
	switch {
	case err != nil:
		return err
	case r.About == by.ID:
		return report.ErrOwn
	case slices.ContainsFunc(open, func(o report.Report) bool { return o.Reporter == by.ID }):
		return report.ErrReported
	}
	if err := t.UseQuota(ctx, by.ID, report.PerDay, 1); err != nil {
		return err
	}
	if r.Target.Kind == report.Book && b.Status == book.ForSale {
		if r.Hid, err = s.hides(ctx, t, append(open, r)); err != nil {
			return err
		}
	}
	if err := t.AddReport(ctx, r); err != nil {
		return err
	}
	if r.Target.Kind == report.Order {
		return t.notifyReported(ctx, r, o)
	}
	if !r.Hid {
		return nil
	}
	t.mailUnlisted(bookHidden, "", b)
	return t.hold(ctx, user.Caller{}, b, bookHidden, "")
}

// hides reports whether open reports about a book are enough to hide it. What an admin has
// put back on sale while they are open, they do not hide again.
func (s *Reports) hides(ctx context.Context, t *tx, open []report.Report) (bool, error) {
	if s.threshold.Reports == 0 || len(open) < s.threshold.Reports || slices.ContainsFunc(
		open, func(r report.Report) bool { return r.Hid },
	) {
		return false, nil
	}
	reporters := make([]user.ID, len(open))
	for i, r := range open {
		reporters[i] = r.Reporter
	}
	n, err := t.CountTraders(ctx, reporters, t.Now.Add(-report.MinSaleAge), s.threshold.MinPrice)
	return n >= s.threshold.Reports, err
}

// see records who is responsible for the target and what the caller can see of it. It returns
// and locks the book, if it is one, and returns the order.
func (t *tx) see(ctx context.Context, by user.Caller, r *report.Report) (b book.Book, o order.Order, err error) {
	switch r.Target.Kind {
	case report.Book:
		b, err = t.seeBook(ctx, by, r)
	case report.Person:
		err = t.seePerson(ctx, by, r)
	case report.Order:
		o, err = t.seeOrder(ctx, by, r)
	}
	if err != nil {
		return b, o, err
	}
	found, err := t.LockUsers(ctx, r.About) // they stay at their university until the report is stored
	person := found[r.About]
	if err == nil && person.Email == "" { // the account is deleted
		switch r.Target.Kind {
		case report.Person, report.Order:
			err = user.ErrNotFound
		case report.Conversation:
			err = conversation.ErrLeft
		}
	}
	r.Seen.Person = report.SeenPerson{FirstName: person.Profile.FirstName, University: person.Profile.University}
	if r.University == "" {
		r.University = person.Profile.University
	}
	return b, o, err
}

// seePerson records a person whom the caller has come across.
func (t *tx) seePerson(ctx context.Context, by user.Caller, r *report.Report) error {
	if err := t.checkAcquainted(ctx, by, user.ID(r.Target.ID)); err != nil {
		return err
	}
	r.About = user.ID(r.Target.ID)
	return t.checkOrder(ctx, by, *r)
}

func (t *tx) seeBook(ctx context.Context, by user.Caller, r *report.Report) (book.Book, error) {
	b, err := t.LockBook(ctx, book.ID(r.Target.ID))
	if err != nil {
		return b, err
	}
	if !b.VisibleTo(by) {
		return b, book.ErrNotFound
	}
	r.About, r.University = b.Seller, b.University
	r.Seen.Book, err = t.asSeen(ctx, b)
	return b, err
}

// checkAcquainted refuses a person whom the caller has not come across, as one who does not
// exist. Admins see everybody whom they oversee.
func (t *tx) checkAcquainted(ctx context.Context, by user.Caller, person user.ID) error {
	if by.ID == person {
		return nil
	}
	if by.MustBe(user.Admin) == nil {
		found, err := t.FindUsers(ctx, person)
		if err != nil || by.Oversees(found[person].Profile.University) {
			return err
		}
	}
	known, err := t.IsAcquainted(ctx, by.ID, person)
	if err == nil && !known {
		err = user.ErrNotFound
	}
	return err
}

// checkOrder refuses an order that is not one of the caller and the person who is reported.
func (t *tx) checkOrder(ctx context.Context, by user.Caller, r report.Report) error {
	if r.Order == 0 {
		return nil
	}
	found, err := t.FindOrders(ctx, []order.ID{r.Order})
	if err == nil && (len(found) == 0 || !found[0].Involves(by.ID) || !found[0].Involves(user.ID(r.Target.ID))) {
		err = order.ErrNotFound
	}
	return err
}

// removeReportsOf deletes the reports about a deleted user, and the words of the user in
// those about others.
func (t *tx) removeReportsOf(ctx context.Context, id user.ID) error {
	if err := t.DeleteReportsAbout(ctx, id, t.Now); err != nil {
		return err
	}
	if err := t.RemoveReportPhotosBy(ctx, id, t.Now); err != nil {
		return err
	}
	mine, err := t.ListAllReportsBy(ctx, id)
	if err != nil {
		return err
	}
	for i := range mine {
		mine[i].ForgetReporter()
	}
	return t.UpdateReports(ctx, mine)
}

const reportSweepBatch = 500

// DeleteOld deletes the reports that were resolved longer than report.Life ago, and returns
// how many.
func (s *Reports) DeleteOld(ctx context.Context) (deleted int, err error) {
	then := s.deps.Clock.Now().Add(-report.Life)
	for {
		var n int
		err := s.deps.WithTx(ctx, func(ctx context.Context, t *tx) (err error) {
			n, err = t.DeleteResolvedReports(ctx, then, t.Now, reportSweepBatch)
			return err
		})
		deleted += n
		if err != nil || n < reportSweepBatch {
			return deleted, err
		}
	}
}
