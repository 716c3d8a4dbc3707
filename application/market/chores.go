package market

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// Chores finish what was too long for one step: matching a book that very many
// request, telling everyone that it is gone. Nothing is lost if the program
// ends; any replica goes on.
type Chores struct {
	kit Kit
	log *slog.Logger
}

// NewChores makes them; failures go to log.
func NewChores(k Kit, log *slog.Logger) *Chores { return &Chores{k, log} }

// choresPause is how long Run waits where nothing rings: for the chores of other
// replicas, and after a failure.
const choresPause = 2 * time.Second

// Run does chores until ctx ends.
func (c *Chores) Run(ctx context.Context) {
	for {
		busy, err := c.Work(ctx)
		if err != nil && ctx.Err() == nil {
			c.log.ErrorContext(ctx, "market chore failed, will be tried again", "error", err)
		}
		if busy && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-c.kit.Bell.work:
		case <-time.After(choresPause):
		}
	}
}

// Work does one step of one chore; false when there is none.
func (c *Chores) Work(ctx context.Context) (bool, error) {
	var found bool
	err := c.kit.step(ctx, func(ctx context.Context, a *act) error {
		var chore Chore
		var err error
		chore, found, err = a.Chores.Take(ctx)
		if err != nil || !found {
			return err
		}
		return a.goOn(ctx, chore)
	})
	return found, err
}

// goOn does a chore's next part. What has lost its point meanwhile is dropped.
func (a *act) goOn(ctx context.Context, c Chore) error {
	if c.Kind == MatchRequest {
		r, err := a.Requests.Find(ctx, book.RequestID(c.Subject))
		switch {
		case errors.Is(err, book.ErrRequestNotFound):
			return nil
		case err != nil || r.Status != book.Open:
			return err
		}
		_, err = a.matchRequest(ctx, r, book.Reason(c.Key), book.ID(c.After))
		return err
	}
	b, err := a.hold(ctx, book.ID(c.Subject))
	switch {
	case err != nil:
		return err
	case c.Kind == MatchBook && b.Status == book.ForSale:
		return a.matchBook(ctx, b, book.NewMatcher(b), Place{Key: c.Key, Request: book.RequestID(c.After)})
	case c.Kind == TellGone && b.Status != book.ForSale:
		return a.tellGone(ctx, b, user.ID(c.After))
	}
	return nil
}
