// Package talking is the room of the market in which people tell each other something:
// conversations about books, blocks, and the notifications of what happens.
package talking

import (
	"time"

	"github.com/octavo-books/octavo/application/market"
)

// Room has the use cases of the room.
type Room struct {
	Conversations       *Conversations
	Blocks              *Blocks
	Notifications       *Notifications
	ConversationSweeper *ConversationSweeper
}

// New returns the use cases over the storage of an adapter.
func New(d market.Deps, s Reader, open Open) *Room {
	u := unit{Deps: d, In: in(open)}
	return &Room{
		Conversations: newConversations(u, s), Blocks: newBlocks(u, s), Notifications: newNotifications(u, s),
		ConversationSweeper: newConversationSweeper(u),
	}
}

// Join adds what the room does when something happens in another one.
func Join(h *market.Hooks, open Open) {
	h.UserErased.Add(market.InRoom(in(open), (*tx).EraseUser))
}

// Periodic lists the work that the room does again and again.
func (r *Room) Periodic() []market.Periodic {
	return []market.Periodic{
		{Name: "delete_conversations", Every: time.Hour, Do: r.ConversationSweeper.Sweep},
	}
}

// tx is a transaction in progress: what all rooms share, and the stores of this one.
type tx struct {
	*market.Tx
	Store
}

type unit = market.Unit[*tx]

// Open opens the room's store in a transaction.
type Open = func(market.Stores) Store

func in(open Open) func(*market.Tx) *tx {
	return func(t *market.Tx) *tx { return &tx{t, open(t.Stores)} }
}
