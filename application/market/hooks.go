package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Hook is what rooms do, within the same transaction, when something happens in another one.
type Hook[T any] []func(context.Context, *Tx, T) error

// Add adds what a room does.
func (h *Hook[T]) Add(do func(context.Context, *Tx, T) error) { *h = append(*h, do) }

// InRoom makes a hook of what a room does with a transaction as it sees it.
func InRoom[T, V any](in func(*Tx) T, do func(T, context.Context, V) error) func(context.Context, *Tx, V) error {
	return func(ctx context.Context, t *Tx, v V) error { return do(in(t), ctx, v) }
}

func (h Hook[T]) run(ctx context.Context, t *Tx, v T) error {
	for _, do := range h {
		if err := do(ctx, t, v); err != nil {
			return err
		}
	}
	return nil
}

// Hooks are where rooms that do not know each other meet. Each adds to them when it joins.
type Hooks struct {
	BookListed    Hook[Listed]    // it is for sale now, new or changed
	BookRevised   Hook[book.ID]   // it is no longer what matched before, and is listed next
	BookLeft      Hook[book.Book] // it is for sale no longer
	BookCheaper   Hook[book.Book] // its price is lower than before
	BookDelivered Hook[book.ID]   // it can never be for sale again
	BooksBought   Hook[Bought]    // somebody buys them now
	OrderEnded    Hook[book.ID]   // the order of this book was cancelled

	Notified Hook[[]notification.Notification] // people were told something; it runs at the end of the transaction

	UserErased    Hook[user.ID]         // the account is deleted
	UserWithdrawn Hook[user.Withdrawal] // the user may not trade any more
	UserMoves     Hook[user.ID]         // to another university, unless a room refuses it

	Jobs map[job.Kind]Work // who does which job
}

// Listed is a book for sale and what finds those who look for it.
type Listed struct {
	book.Book
	Matcher book.Matcher
}

// Bought are books that somebody buys at once, as they were before.
type Bought struct {
	Buyer user.ID
	Books []book.Book
}

// BookListed tells the rooms that a stored book is for sale.
func (t *Tx) BookListed(ctx context.Context, b book.Book, m book.Matcher) error {
	return t.hooks.BookListed.run(ctx, t, Listed{b, m})
}

// BookRevised tells the rooms that a book is no longer what they have matched.
func (t *Tx) BookRevised(ctx context.Context, id book.ID) error {
	return t.hooks.BookRevised.run(ctx, t, id)
}

// BookLeft tells the rooms that a stored book is for sale no longer.
func (t *Tx) BookLeft(ctx context.Context, b book.Book) error {
	return t.hooks.BookLeft.run(ctx, t, b)
}

// BookCheaper tells the rooms that a book for sale has a lower price.
func (t *Tx) BookCheaper(ctx context.Context, b book.Book) error {
	return t.hooks.BookCheaper.run(ctx, t, b)
}

// BookDelivered tells the rooms that a book can never be for sale again.
func (t *Tx) BookDelivered(ctx context.Context, id book.ID) error {
	return t.hooks.BookDelivered.run(ctx, t, id)
}

// BooksBought tells the rooms who buys which books.
func (t *Tx) BooksBought(ctx context.Context, buyer user.ID, all []book.Book) error {
	return t.hooks.BooksBought.run(ctx, t, Bought{buyer, all})
}

// OrderEnded tells the rooms that the order of a book was cancelled.
func (t *Tx) OrderEnded(ctx context.Context, id book.ID) error {
	return t.hooks.OrderEnded.run(ctx, t, id)
}
