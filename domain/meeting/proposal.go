package meeting

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// ID identifies a proposal.
type ID int64

// String returns the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// State is the state of a proposal. The numbers are stored.
type State int

// The states. An order has at most one proposal that is Proposed or Accepted.
const (
	Proposed   State = iota
	Accepted         // by the other side
	Superseded       // by a newer proposal
	Ended            // with the order, or because an admin has taken it over
)

// String returns the form on the wire.
func (s State) String() string {
	switch s {
	case Proposed:
		return "proposed"
	case Accepted:
		return "accepted"
	case Superseded:
		return "superseded"
	case Ended:
		return "ended"
	}
	return ""
}

// Open reports whether the proposal counts.
func (s State) Open() bool { return s == Proposed || s == Accepted }

// Proposal is a place and a time that one side of an order proposes to the other.
type Proposal struct {
	ID         ID
	Order      order.ID
	By         user.ID
	University string
	Spot       // as it was when it was proposed
	At         time.Time
	State      State
	CreatedAt  time.Time
	AcceptedAt time.Time // zero: not accepted
}

// Proposals are those of an order, in every state.
type Proposals []Proposal

// Open returns the proposal that counts; nil if there is none.
func (all Proposals) Open() *Proposal {
	for i := range all {
		if all[i].State.Open() {
			return &all[i]
		}
	}
	return nil
}

// CheckAnother refuses another proposal to a side that has made as many as it may.
func (all Proposals) CheckAnother(by user.ID) error {
	made := 0
	for _, p := range all {
		if p.By == by {
			made++
		}
	}
	if made >= MaxProposals {
		return ErrTooMany
	}
	return nil
}

// The errors of meetings.
var (
	ErrNotFound = fault.New(fault.NotFound, "meeting_not_found", "This proposal does not exist.")
	ErrTime     = fault.New(fault.Invalid, "meeting_time", "Choose a time in the future, within 60 days.").
			WithField("at", "Must be in the future, within 60 days.")
	ErrPast       = fault.New(fault.Conflict, "meeting_past", "This time has passed. Propose another one.")
	ErrSuperseded = fault.New(fault.Conflict, "meeting_superseded", "There is a newer proposal.")
	ErrOwn        = fault.New(fault.Conflict, "meeting_own", "Your proposal waits for an answer. You cannot accept it yourself.")
	ErrTooMany    = fault.New(fault.Conflict, "too_many_meetings", "You have proposed twenty meetings for this order. Accept one that you were sent, or ask us for help.")
	ErrAlone      = fault.New(fault.Conflict, "meeting_left", "This person can no longer meet you. Please ask us for help.")
)

// codeEarly is how long before the agreed time a code counts: somebody who types it days before
// has not met anybody.
const codeEarly = time.Hour

// CodeFrom returns from when on the code of the proposal counts.
func (p Proposal) CodeFrom() time.Time { return p.At.Add(-codeEarly) }

// CheckTime refuses a code that is typed too early, and says in the time zone of the campus from when on it counts.
func (p Proposal) CheckTime(now time.Time, zone *time.Location) error {
	from := p.CodeFrom()
	if !now.Before(from) {
		return nil
	}
	return ErrEarly.WithMsg("A code counts from one hour before the agreed time: from "+from.In(zone).Format("2006-01-02 15:04")+" on.").
		WithDetail("from", from.UTC().Format(time.RFC3339))
}

// Horizon is how far ahead a meeting may be.
const Horizon = 60 * 24 * time.Hour

// MaxProposals bounds the proposals of one side of an order.
const MaxProposals = 20

// Propose returns the proposal of one side of an order to meet at a place. The order must not
// be checked, delivered or cancelled yet.
func Propose(id ID, o order.Order, by user.ID, where Place, at, now time.Time) (Proposal, error) {
	at = at.UTC().Truncate(time.Microsecond)
	switch {
	case !o.Involves(by):
		return Proposal{}, order.ErrNotFound
	case !at.After(now) || at.Sub(now) > Horizon:
		return Proposal{}, ErrTime
	case !o.Waits():
		return Proposal{}, order.ErrTransition
	}
	return Proposal{ID: id, Order: o.ID, By: by, University: where.University, Spot: where.Spot, At: at, CreatedAt: now}, nil
}

// Accept accepts the proposal for the other side. Accepting twice changes nothing.
func (p *Proposal) Accept(o order.Order, by user.ID, now time.Time) error {
	switch {
	case !o.Involves(by) || o.ID != p.Order:
		return ErrNotFound
	case !o.Waits():
		return order.ErrTransition
	case !p.State.Open():
		return ErrSuperseded
	case by == p.By:
		return ErrOwn
	case p.State == Accepted:
		return nil
	case !p.At.After(now):
		return ErrPast
	}
	p.State, p.AcceptedAt = Accepted, now
	return nil
}

// Next returns the next task of an order, of which open is the open proposal; nil: none. It
// returns false if nothing is left to do. Who pay each other when they meet are to meet, though a
// desk may do it as well.
func (m Mode) Next(o order.Order, open *Proposal) (order.Next, bool) {
	switch {
	case !o.Waits() || !m.Meets() || m == Both && open == nil && o.Settlement != order.Direct:
		return o.Next()
	case open == nil:
		return order.Next{Who: order.EitherSide, What: order.ProposeMeeting}, true
	case open.State == Accepted:
		return order.Next{Who: order.EitherSide, What: order.Meet}, true
	case open.By == o.Buyer:
		return order.Next{Who: order.SellerSide, What: order.AcceptMeeting}, true
	}
	return order.Next{Who: order.BuyerSide, What: order.AcceptMeeting}, true
}
