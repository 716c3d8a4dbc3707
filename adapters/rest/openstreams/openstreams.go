// Package openstreams knows the open streams of a process.
package openstreams

import (
	"context"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// EndedSessions tells which of the callers' sessions have ended.
type EndedSessions func(ctx context.Context, of []user.Caller) ([]user.SessionID, error)

// Stream is an open stream.
type Stream struct {
	By  user.Caller
	End func() // makes it end
}

// Streams are the open streams of this process. It limits those of each person, and ends
// those whose sessions have ended, and all when the server stops.
type Streams struct {
	max   int // for each person
	ended EndedSessions

	mu       sync.Mutex
	open     map[*Stream]bool
	counts   map[user.ID]int
	beats    int             // heartbeats since the last look at the sessions
	draining <-chan struct{} // closed when the server stops
	stopping bool
}

// New returns the streams of a process, of which none is open yet.
func New(maxPerUser int, ended EndedSessions) *Streams {
	return &Streams{max: maxPerUser, ended: ended, open: map[*Stream]bool{}, counts: map[user.ID]int{}}
}

// Reserve counts a stream of a person before it is opened; false if there are too many.
func (s *Streams) Reserve(of user.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts[of] >= s.max {
		return false
	}
	s.counts[of]++
	return true
}

// Release undoes Reserve.
func (s *Streams) Release(of user.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts[of]--; s.counts[of] == 0 {
		delete(s.counts, of)
	}
}

// Add adds an open stream. It ends when the server stops.
func (s *Streams) Add(one *Stream, draining <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining == nil && draining != nil {
		s.draining = draining
		go s.endAll()
	}
	s.open[one] = true
	if s.stopping {
		one.End()
	}
}

// endAll ends all streams once the server stops.
func (s *Streams) endAll() {
	<-s.draining
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping = true
	for one := range s.open {
		one.End()
	}
}

// Remove forgets a stream that has ended.
func (s *Streams) Remove(one *Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, one)
}

// readTimeout bounds a look at the sessions.
const readTimeout = 10 * time.Second

// Beat is called at each heartbeat of a stream. Once all of them have had one, it looks at
// their sessions in one read and ends the streams whose session has ended. A read that fails
// ends none: each stream authenticates again before it sends anything.
func (s *Streams) Beat(ctx context.Context) {
	open := s.nextRound()
	if len(open) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	callers := make([]user.Caller, 0, len(open))
	for _, all := range open {
		callers = append(callers, all[0].By)
	}
	ended, err := s.ended(ctx, callers)
	if err != nil {
		return
	}
	for _, id := range ended {
		for _, one := range open[id] {
			one.End()
		}
	}
}

// nextRound returns the streams by session if each had a heartbeat since it last did, on
// average.
func (s *Streams) nextRound() map[user.SessionID][]*Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.beats++; s.beats < len(s.open) {
		return nil
	}
	s.beats = 0
	open := make(map[user.SessionID][]*Stream, len(s.open))
	for one := range s.open {
		open[one.By.Session] = append(open[one.By.Session], one)
	}
	return open
}
