package rest

import (
	"context"
	"sync"

	"github.com/octavo-books/octavo/domain/user"
)

// SessionWatch tells which sessions have ended.
type SessionWatch interface {
	EndedSessions(ctx context.Context, of []user.Caller) ([]user.SessionID, error)
}

// streams are the open streams of this process. It limits those of each person, and ends
// those whose sessions have ended, and all when the server stops.
type streams struct {
	max      int // for each person
	sessions SessionWatch

	mu       sync.Mutex
	open     map[*stream]bool
	counts   map[user.ID]int
	beats    int             // heartbeats since the last look at the sessions
	draining <-chan struct{} // closed when the server stops
	stopping bool
}

func newStreams(maxPerUser int, sessions SessionWatch) *streams {
	return &streams{max: maxPerUser, sessions: sessions, open: map[*stream]bool{}, counts: map[user.ID]int{}}
}

// reserve counts a stream of a person before it is opened, or returns errTooManyStreams.
func (s *streams) reserve(of user.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts[of] >= s.max {
		return errTooManyStreams
	}
	s.counts[of]++
	return nil
}

// release undoes reserve.
func (s *streams) release(of user.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts[of]--; s.counts[of] == 0 {
		delete(s.counts, of)
	}
}

// add adds an open stream. It ends when the server stops.
func (s *streams) add(one *stream, draining <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining == nil && draining != nil {
		s.draining = draining
		go s.endAll()
	}
	s.open[one] = true
	if s.stopping {
		one.end()
	}
}

// endAll ends all streams once the server stops.
func (s *streams) endAll() {
	<-s.draining
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping = true
	for one := range s.open {
		one.end()
	}
}

func (s *streams) remove(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, one)
}

// beat is called at each heartbeat of a stream. Once all of them have had one, it looks at
// their sessions in one read and ends the streams whose session has ended. A read that fails
// ends none: each stream authenticates again before it sends anything.
func (s *streams) beat(ctx context.Context) {
	open := s.nextRound()
	if len(open) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, ioTimeout)
	defer cancel()
	callers := make([]user.Caller, 0, len(open))
	for _, all := range open {
		callers = append(callers, all[0].by)
	}
	ended, err := s.sessions.EndedSessions(ctx, callers)
	if err != nil {
		return
	}
	for _, id := range ended {
		for _, one := range open[id] {
			one.end()
		}
	}
}

// nextRound returns the streams by session if each had a heartbeat since it last did, on
// average.
func (s *streams) nextRound() map[user.SessionID][]*stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.beats++; s.beats < len(s.open) {
		return nil
	}
	s.beats = 0
	open := make(map[user.SessionID][]*stream, len(s.open))
	for one := range s.open {
		open[one.by.Session] = append(open[one.by.Session], one)
	}
	return open
}
