package guarding

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// Moderation lets admins decide about reports.
type Moderation struct {
	deps           unit
	reader         Reader
	suspendAccount SuspendAccount
}

// newModeration returns the use cases of admins.
func newModeration(d unit, r Reader, s SuspendAccount) *Moderation {
	return &Moderation{d, r, s}
}

// ListOpen lists the open reports that the caller oversees, oldest first.
func (m *Moderation) ListOpen(ctx context.Context, by user.Caller, p market.Page) ([]ReportView, market.Cursor, error) {
	return m.list(ctx, by, p, OpenReports)
}

// ListResolved lists the reports that the caller oversees and an admin has decided about, the
// last decision first.
func (m *Moderation) ListResolved(ctx context.Context, by user.Caller, p market.Page) ([]ReportView, market.Cursor, error) {
	return m.list(ctx, by, p, ResolvedReports)
}

func (m *Moderation) list(ctx context.Context, by user.Caller, p market.Page, state ReportState) ([]ReportView, market.Cursor, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return nil, "", err
	}
	after, n, err := p.Read()
	if err != nil {
		return nil, "", err
	}
	all, err := m.reader.ListReports(ctx, ReportSelection{State: state, University: by.Campus()}, after, n+1)
	if err != nil {
		return nil, "", err
	}
	all, next := market.Cut(all, n, state.positionOf)
	return shownTo(all, by), next, nil
}

// MaxRelatedReports bounds the lists of reports that are shown at once.
const MaxRelatedReports = 100

// Get returns a report and the open ones about the same target that the caller oversees,
// oldest first.
func (m *Moderation) Get(ctx context.Context, by user.Caller, id report.ID) (found ReportView, open []ReportView, err error) {
	if err := by.MustBe(user.Admin); err != nil {
		return found, nil, err
	}
	if found, err = m.reader.FindReport(ctx, id); err != nil {
		return found, nil, err
	}
	if err := by.MustOversee(found.University); err != nil {
		return ReportView{}, nil, err
	}
	open, err = m.reader.ListReports(ctx, ReportSelection{State: OpenReports, On: found.Target}, market.Position{}, MaxRelatedReports)
	open = slices.DeleteFunc(open, func(v ReportView) bool { return !by.Oversees(v.University) })
	return found.shownTo(by), shownTo(open, by), err
}

// ListAbout lists the newest reports about a person that the caller oversees.
func (m *Moderation) ListAbout(ctx context.Context, by user.Caller, person user.ID) ([]ReportView, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return nil, err
	}
	all, err := m.reader.ListReports(ctx, ReportSelection{University: by.Campus(), About: person}, market.Position{}, MaxRelatedReports)
	if err != nil || len(all) > 0 || by.Campus() == "" {
		return shownTo(all, by), err
	}
	return nil, m.deps.WithTx(ctx, func(ctx context.Context, t *tx) error { // without a report, the person is of the university
		found, err := t.FindUsers(ctx, person)
		if err != nil {
			return err
		}
		return by.MustOversee(found[person].Profile.University)
	})
}

// CountOpen counts the open reports that the caller oversees.
func (m *Moderation) CountOpen(ctx context.Context, by user.Caller) (int, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return 0, err
	}
	return m.reader.CountOpenReports(ctx, by.Campus())
}

// Resolve decides about all open reports about the target of one that the caller oversees, and
// notifies those who reported it. If another admin was first, the error is report.ErrResolved.
func (m *Moderation) Resolve(ctx context.Context, by user.Caller, id report.ID, a report.Action, note string) (ReportView, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return ReportView{}, err
	}
	if !slices.Contains(report.Actions(), a) {
		return ReportView{}, report.ErrAction
	}
	note, err := report.CleanNote(note, a)
	if err != nil {
		return ReportView{}, err
	}
	r, err := m.reader.FindReport(ctx, id)
	if err != nil {
		return ReportView{}, err
	}
	if err := by.MustOversee(r.University); err != nil {
		return ReportView{}, err
	}
	if err := r.CheckAction(a); err != nil {
		return ReportView{}, err
	}
	if a == report.Suspend {
		err = m.suspend(ctx, by, r, note)
	} else {
		err = m.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error { return t.decide(ctx, by, r, a, note) })
	}
	if err != nil {
		return ReportView{}, err
	}
	r, err = m.reader.FindReport(ctx, id)
	return r.shownTo(by), err
}

// suspend decides in the transaction that suspends the account. If the account is suspended
// already, only the decision is left. Who may not decide gets the reason of that, and not why
// they cannot suspend the person.
func (m *Moderation) suspend(ctx context.Context, by user.Caller, r ReportView, note string) error {
	err := m.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		_, err := t.lockCase(ctx, by, r)
		return err
	})
	if err != nil {
		return err
	}
	if !r.Open() {
		return report.ErrResolved
	}
	decided := false
	err = m.suspendAccount(ctx, by, r.About, note, func(ctx context.Context, s market.Stores) error {
		s.OnCommit(func() { decided = true }) // not before: another suspension may be faster when this runs again
		t := m.deps.In(m.deps.Begin(s, m.deps.Clock.Now()))
		if err := t.decide(ctx, by, r, report.Suspend, note); err != nil {
			return err
		}
		return t.Flush(ctx)
	})
	if err != nil || decided {
		return err
	}
	return m.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error { return t.decide(ctx, by, r, report.Suspend, note) })
}

// lockCase locks the open reports about the target of one that the caller oversees, and refuses
// a caller who is a party to one of them or to the book.
func (t *tx) lockCase(ctx context.Context, by user.Caller, r ReportView) ([]report.Report, error) {
	open, err := t.lockOverseen(ctx, by, r.Target)
	if err != nil {
		return nil, err
	}
	affair := r.Affair()
	for _, o := range open {
		affair = affair.With(o.Reporter, o.About)
	}
	if r.Target.Kind == report.Book {
		b, err := t.LockBook(ctx, book.ID(r.Target.ID))
		if err != nil {
			return nil, err
		}
		affair = affair.With(b.Affair().Parties...)
	}
	return open, r.ExplainRefusal(by.ID, t.MustDecide(ctx, by, affair))
}

// decide resolves the open reports about the target of one, and does what follows from it in
// the market.
func (t *tx) decide(ctx context.Context, by user.Caller, r ReportView, a report.Action, note string) error {
	open, err := t.lockCase(ctx, by, r)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(open, func(o report.Report) bool { return o.ID == r.ID }) {
		return report.ErrResolved
	}
	hid := false
	for i := range open {
		hid = hid || open[i].Hid
		if err := open[i].Resolve(by.ID, a, note, t.Now); err != nil {
			return err
		}
		t.Audit(by, "report.resolved", open[i].ID.String(), auditDetail(a, note))
		t.notifyResolved(open[i])
	}
	if err := t.UpdateReports(ctx, open); err != nil {
		return err
	}
	if err := t.notifyClosed(ctx, open); err != nil {
		return err
	}
	switch a {
	case report.Unlist:
		return t.unlistReported(ctx, by, book.ID(r.Target.ID), note)
	case report.Warn:
		t.Mail(message.Warning, r.About, map[string]string{message.ParamReason: note, message.ParamBook: titleOf(r.Report)})
	}
	if hid && a != report.Suspend {
		return t.unhide(ctx, by, book.ID(r.Target.ID))
	}
	return nil
}

func auditDetail(a report.Action, note string) string {
	if note == "" {
		return string(a)
	}
	return string(a) + ": " + note
}

// titleOf names the book of a report; empty if it is about something else.
func titleOf(r report.Report) string {
	if r.Seen.Book == nil {
		return ""
	}
	return r.Seen.Book.Name
}

func (t *tx) notifyResolved(r report.Report) {
	about := titleOf(r)
	if about == "" {
		about = r.Seen.Person.FirstName
	}
	n := notification.About(notification.ReportResolved, r.Reporter, 0, about, t.Now)
	t.Announce(n)
	params := map[string]string{message.ParamAbout: about}
	if r.Upheld() {
		params[message.ParamUpheld] = "yes"
	}
	if r.Target.Kind == report.Order { // what becomes of the order, the order itself says
		params[message.ParamOrder] = r.Order.String()
	}
	t.Mail(message.ReportResolved, r.Reporter, params)
}

// unlistReported takes a book off sale. One that its seller or reports took off sale before
// can only be relisted by an admin from now on. A book that is sold is book.ErrTransition. The
// seller may have listed it at another university than that of their profile.
func (t *tx) unlistReported(ctx context.Context, by user.Caller, id book.ID, note string) error {
	b, err := t.lockToList(ctx, by, id)
	if err != nil {
		return err
	}
	t.mailUnlisted(bookUnlisted, note, b)
	if b.Status != book.Unlisted {
		return t.hold(ctx, by, b, bookUnlisted, note)
	}
	b.Held = true
	t.Audit(by, bookUnlisted, id.String(), note)
	return t.UpdateBook(ctx, b, book.Unlisted)
}

// unhide offers a book again that reports have hidden, unless it has changed since.
func (t *tx) unhide(ctx context.Context, by user.Caller, id book.ID) error {
	b, err := t.lockToList(ctx, by, id)
	if err != nil || b.Status != book.Unlisted || !b.Held {
		return err
	}
	sellers, err := t.LockUsers(ctx, b.Seller)
	if err != nil {
		return err
	}
	seller := sellers[b.Seller]
	if seller.MayTrade() != nil { // it stays unlisted, but a seller who comes back may relist it
		b.Held = false
		return t.UpdateBook(ctx, b, book.Unlisted)
	}
	return t.release(ctx, by, b, seller)
}

// release puts a held book on sale again and matches it.
func (t *tx) release(ctx context.Context, by user.Caller, b book.Book, seller market.User) error {
	if err := b.Release(seller.Profile.University, t.Now); err != nil {
		return err
	}
	t.Audit(by, "book.relisted", b.ID.String(), "")
	t.PublishEvent(event.PostBook(b, t.Currency, event.Relisted))
	if err := t.BookRevised(ctx, b.ID); err != nil {
		return err
	}
	return t.SaveAndMatch(ctx, b, book.Unlisted)
}
