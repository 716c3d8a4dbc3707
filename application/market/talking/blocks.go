package talking

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/user"
)

// Blocks lets users keep others from writing to them.
type Blocks struct {
	deps   unit
	reader Reader
}

// newBlocks returns the use cases of blocks.
func newBlocks(d unit, r Reader) *Blocks { return &Blocks{d, r} }

// BlockView is a block with the blocked person.
type BlockView struct {
	conversation.Block
	Blocked market.User
	// Known says that the blocked person has a conversation with the blocker or has posted a
	// book, so that the blocker may know the name.
	Known bool
}

// Person returns the blocked person, without the name if the blocker may not know it.
func (v BlockView) Person() market.Person {
	p := v.Blocked.Person()
	if !v.Known {
		p.FirstName = ""
	}
	return p
}

// Block keeps the caller and a person from exchanging messages. Blocking twice is fine.
func (b *Blocks) Block(ctx context.Context, by user.Caller, id user.ID) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	if id == by.ID {
		return conversation.ErrBlockSelf
	}
	return b.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		users, err := t.LockUsers(ctx, id)
		if err != nil {
			return err
		}
		if users[id].Email == "" {
			return user.ErrNotFound
		}
		return t.AddBlock(ctx, conversation.Block{ID: t.IDs.Next(), By: by.ID, Of: id, CreatedAt: t.Now}, conversation.MaxBlocks)
	})
}

// Unblock undoes Block. It does nothing if the caller has not blocked the person.
func (b *Blocks) Unblock(ctx context.Context, by user.Caller, id user.ID) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	return b.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error { return t.RemoveBlock(ctx, by.ID, id) })
}

// List lists whom the caller has blocked, newest first.
func (b *Blocks) List(ctx context.Context, by user.Caller, p market.Page) ([]BlockView, market.Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	return market.List(p, func(v BlockView) int64 { return v.ID }, func(after int64, n int) ([]BlockView, error) {
		return b.reader.ListBlocks(ctx, by.ID, after, n)
	})
}
