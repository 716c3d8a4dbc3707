package demo

import (
	"cmp"
	"container/heap"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/domain/book"
)

// event happens to a book: an order, or a match that is notified.
type event struct {
	at    time.Time
	seq   int // orders events at the same time
	sale  *demostore.Order
	match book.Match
	name  string // of the book in match
}

// timeline is a queue of future events in the order of time, so that ids ascend with time.
type timeline struct {
	events []event
	seq    int
}

func (t *timeline) add(e event) {
	t.seq++
	e.seq = t.seq
	heap.Push((*eventHeap)(t), e)
}

// advance calls apply for the events that are due by a time, in order.
func (t *timeline) advance(until time.Time, apply func(event)) {
	for len(t.events) > 0 && !t.events[0].at.After(until) {
		apply(heap.Pop((*eventHeap)(t)).(event))
	}
}

// eventHeap implements heap.Interface for a timeline.
type eventHeap timeline

func (h *eventHeap) Len() int { return len(h.events) }

func (h *eventHeap) Less(i, j int) bool {
	a, b := h.events[i], h.events[j]
	return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.seq, b.seq)) < 0
}

func (h *eventHeap) Swap(i, j int) { h.events[i], h.events[j] = h.events[j], h.events[i] }

func (h *eventHeap) Push(e any) { h.events = append(h.events, e.(event)) }

func (h *eventHeap) Pop() any {
	last := len(h.events) - 1
	e := h.events[last]
	h.events[last] = event{}
	h.events = h.events[:last]
	return e
}
