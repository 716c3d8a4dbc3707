package serving

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/application/inbox/sending"
)

// feedInterval is the minimum time between two reads of the feed's end.
const feedInterval = 20 * time.Millisecond

// feedHub notifies all followers of new deliveries. While nothing arrives, any number of
// followers costs the store as much as one.
type feedHub struct {
	end  atomic.Int64  // the last FeedEnd
	wake chan struct{} // receives when this process has stored a delivery

	mu        sync.Mutex
	followers map[chan struct{}]bool
}

func newFeedHub() *feedHub {
	return &feedHub{wake: make(chan struct{}, 1), followers: map[chan struct{}]bool{}}
}

// stored reports that this process has stored deliveries. It never blocks.
func (h *feedHub) stored() { sending.Signal(h.wake) }

// subscribe returns a channel that receives when end has grown. ok is false if there are
// too many followers.
func (h *feedHub) subscribe() (grown chan struct{}, stop func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.followers) >= maxFollowers {
		return nil, nil, false
	}
	grown = make(chan struct{}, 1)
	h.followers[grown] = true
	return grown, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.followers, grown)
	}, true
}

func (h *feedHub) idle() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.followers) == 0
}

func (h *feedHub) announce(end int64) {
	if end <= h.end.Load() {
		return
	}
	h.end.Store(end)
	h.mu.Lock()
	defer h.mu.Unlock()
	for grown := range h.followers {
		sending.Signal(grown)
	}
}

// watchFeed reads the end of the feed while it has followers: after this process has stored
// deliveries and, to find those of other processes, at every poll.
func (s *Service) watchFeed(ctx context.Context) {
	poll := time.NewTicker(s.config.PollInterval)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.feed.wake:
		case <-poll.C:
		}
		if s.feed.idle() {
			continue
		}
		end, err := s.ports.Store.FeedEnd(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.Error("reading the end of the feed failed", "error", err)
		}
		s.feed.announce(end)
		select { // so that a burst of deliveries costs few reads
		case <-ctx.Done():
		case <-time.After(feedInterval):
		}
	}
}
