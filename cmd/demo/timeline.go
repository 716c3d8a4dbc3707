package demo

import (
	"cmp"
	"container/heap"
	"time"

	"github.com/octavo-books/octavo/domain/book"
)

// event happens to a book: an order, or a match that is notified. Hundreds of thousands may be
// pending, so an event has numbers only, and the rest is generated again when it is due.
type event struct {
	at      int64 // in microseconds, as in time.UnixMicro
	seq     int32 // orders events at the same time
	book    int32 // its id
	request int32 // number of the matching request, from 1; 0 for an order
	reason  uint8 // of the match, an index of matchReasons
}

var matchReasons = [...]book.Reason{book.ByISBN, book.ByCourse, book.ByTitle}

// timeline is a queue of future events in the order of time, so that ids ascend with time.
type timeline struct {
	events []event
	seq    int32
}

func (t *timeline) add(at time.Time, e event) {
	t.seq++
	e.at, e.seq = at.UnixMicro(), t.seq
	heap.Push((*eventHeap)(t), e)
}

// advance calls apply for the events that are due by a time, in order.
func (t *timeline) advance(until time.Time, apply func(event)) {
	for limit := until.UnixMicro(); len(t.events) > 0 && t.events[0].at <= limit; {
		apply(heap.Pop((*eventHeap)(t)).(event))
	}
}

// eventHeap implements heap.Interface for a timeline.
type eventHeap timeline

func (h *eventHeap) Len() int { return len(h.events) }

func (h *eventHeap) Less(i, j int) bool {
	a, b := &h.events[i], &h.events[j]
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq)) < 0
}

func (h *eventHeap) Swap(i, j int) { h.events[i], h.events[j] = h.events[j], h.events[i] }

func (h *eventHeap) Push(e any) { h.events = append(h.events, e.(event)) }

func (h *eventHeap) Pop() any {
	last := len(h.events) - 1
	e := h.events[last]
	h.events = h.events[:last]
	return e
}
