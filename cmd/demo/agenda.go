package demo

import (
	"cmp"
	"container/heap"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/domain/book"
)

// event is something that happens to a book: it is sold, or somebody who looks
// for it is told of it.
type event struct {
	at   time.Time
	seq  int // keeps the order of what happens at the same time
	sale *demostore.Sale
	pair book.Match
	name string // of the book in pair
}

// agenda holds what is going to happen, so that ids rise with time.
type agenda struct {
	events []event
	seq    int
}

func (a *agenda) add(e event) {
	a.seq++
	e.seq = a.seq
	heap.Push((*soonest)(a), e)
}

// until lets happen, in order, what is due by a time.
func (a *agenda) until(t time.Time, happen func(event)) {
	for len(a.events) > 0 && !a.events[0].at.After(t) {
		happen(heap.Pop((*soonest)(a)).(event))
	}
}

// soonest is the heap of an agenda.
type soonest agenda

func (s *soonest) Len() int { return len(s.events) }

func (s *soonest) Less(i, j int) bool {
	a, b := s.events[i], s.events[j]
	return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.seq, b.seq)) < 0
}

func (s *soonest) Swap(i, j int) { s.events[i], s.events[j] = s.events[j], s.events[i] }

func (s *soonest) Push(e any) { s.events = append(s.events, e.(event)) }

func (s *soonest) Pop() any {
	last := len(s.events) - 1
	e := s.events[last]
	s.events[last] = event{}
	s.events = s.events[:last]
	return e
}
