package finding

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// requestPlan says which books to request now.
type requestPlan struct {
	open    course.Set // open requests, and those planned, with their ids
	made    map[int64]bool
	room    int // for further requests
	wanted  []book.RequestDetails
	skipped []SkippedBook
	more    bool // books are left for another transaction
}

func newRequestPlan(open, made []book.Request) requestPlan {
	p := requestPlan{open: course.Set{}, made: map[int64]bool{planned: true}, room: book.MaxOpenRequests - len(open)}
	for _, r := range made {
		p.made[int64(r.ID)] = true
	}
	for _, r := range open {
		p.open.Add(r.Course, r.Name, r.ISBN, int64(r.ID))
	}
	return p
}

// planRequests plans requests for the books of courses, and locks these and the open requests.
func (t *tx) planRequests(ctx context.Context, owner user.ID, ids []course.ID, own ownBooks, made []book.Request) (requestPlan, error) {
	open, err := t.LockOpenRequests(ctx, owner)
	if err != nil {
		return requestPlan{}, err
	}
	courses, err := t.LockCourses(ctx, ids...)
	if err == nil && len(courses) < len(ids) {
		err = course.ErrNotFound
	}
	plan := newRequestPlan(open, made)
	for _, c := range courses {
		if err == nil {
			err = plan.add(c, own, t.Currency)
		}
	}
	return plan, err
}

// planned stands for the id of a request that is not made yet.
const planned = -1

func (p *requestPlan) add(c course.Course, own ownBooks, currency money.Currency) error {
	for _, b := range c.Books {
		if why := p.skip(c, b, own); why != "" {
			p.skipped = append(p.skipped, SkippedBook{c.Code, b, why})
			continue
		}
		if p.open.Has(c.Code, b.Name, b.ISBN) { // by this call, maybe for another course
			continue
		}
		if p.more = p.more || len(p.wanted) == requestBatch; p.more {
			continue
		}
		details, err := requestDraftOf(c, b).Check(currency)
		if err != nil {
			return err
		}
		p.open.Add(c.Code, b.Name, b.ISBN, planned)
		p.wanted = append(p.wanted, details)
		p.room--
	}
	return nil
}

func requestDraftOf(c course.Course, b course.Book) book.RequestDraft {
	draft := book.RequestDraft{Name: b.Name, Course: c.Code, ISBN: string(b.ISBN)}
	if b.Edition != 0 {
		draft.Edition = &b.Edition
	}
	return draft
}

func (p *requestPlan) skip(c course.Course, b course.Book, own ownBooks) SkipReason {
	request := p.open.Find(c.Code, b.Name, b.ISBN)
	switch {
	case request != 0 && !p.made[request]:
		return SkipRequested
	case own.bought.Has(c.Code, b.Name, b.ISBN):
		return SkipBought
	case own.selling.Has(c.Code, b.Name, b.ISBN):
		return SkipSelling
	case request == 0 && p.room == 0:
		return SkipLimit
	}
	return ""
}
