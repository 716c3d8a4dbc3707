package market

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// standbyTimeout bounds a read from a standby. A server that hangs delays the reads that are under
// way by no more than this.
const standbyTimeout = time.Second

// StandbyReads decides which reads a standby serves: those of callers whose own writes it has.
type StandbyReads struct {
	standby Standby
	marks   WriteMarks

	onStandby, onPrimary atomic.Uint64
}

// NewStandbyReads returns the decision for a standby. Without marks (nil), signed-in callers
// read from the primary.
func NewStandbyReads(s Standby, m WriteMarks) *StandbyReads {
	return &StandbyReads{standby: s, marks: m}
}

// CountReads returns how many reads each has served.
func (s *StandbyReads) CountReads() (onStandby, onPrimary uint64) {
	return s.onStandby.Load(), s.onPrimary.Load()
}

// allow reports whether a caller may read from the standby. It asks for the freshness again after
// the mark: a mark may have ended in between, and then the standby must have what it stood for.
func (s *StandbyReads) allow(ctx context.Context, by user.Caller) bool {
	return s.standby.IsFresh() && s.hasWritesOf(ctx, by) && s.standby.IsFresh()
}

func (s *StandbyReads) hasWritesOf(ctx context.Context, by user.Caller) bool {
	if by.ID == 0 {
		return !by.Unknown
	}
	if s.marks == nil {
		return false
	}
	marked, err := s.marks.IsMarked(ctx, by.ID)
	return err == nil && !marked
}

// OnStandby is a use case whose ports read from a standby. The zero value is that of a use case
// without one.
type OnStandby[U any] struct {
	UseCase *U
	Reads   *StandbyReads
}

// Over returns a use case over a standby; the zero value without one.
func Over[S, U any](standby S, reads *StandbyReads, of func(S) *U) OnStandby[U] {
	if any(standby) == nil {
		return OnStandby[U]{}
	}
	return OnStandby[U]{UseCase: of(standby), Reads: reads}
}

// ReadFor reads on behalf of a caller: from the standby if it is allowed, and otherwise, or if
// the standby fails, from the primary.
func ReadFor[U, T any](
	ctx context.Context, by user.Caller, primary *U, standby OnStandby[U], read func(context.Context, *U) (T, error),
) (T, error) {
	s := standby.Reads
	if s == nil {
		return read(ctx, primary)
	}
	if s.allow(ctx, by) {
		bounded, cancel := context.WithTimeout(ctx, standbyTimeout)
		v, err := read(bounded, standby.UseCase)
		cancel()
		if err == nil || isAnswer(err) || ctx.Err() != nil {
			s.onStandby.Add(1)
			return v, err
		}
		s.standby.Failed(err)
	}
	s.onPrimary.Add(1)
	return read(ctx, primary)
}

// isAnswer reports an error that the primary would return, too.
func isAnswer(err error) bool {
	refusal := fault.As(err)
	return refusal != nil && refusal.Kind != fault.Unavailable
}
