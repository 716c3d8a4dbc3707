// Package talking is the room of the market in which people tell each other something:
// conversations about books, blocks, and the notifications of what happens.
package talking

import "github.com/octavo-books/octavo/application/market"

// Storage is what an adapter implements for the room.
type Storage interface {
	Opener
	Reader
}

// Room has the use cases of the room.
type Room struct {
	Conversations       *Conversations
	Blocks              *Blocks
	Notifications       *Notifications
	ConversationSweeper *ConversationSweeper
}

// New returns the use cases over a storage.
func New(d market.Deps, s Storage) *Room {
	u := unit{Deps: d, In: in(s)}
	return &Room{
		Conversations: newConversations(u, s), Blocks: newBlocks(u, s), Notifications: newNotifications(u, s),
		ConversationSweeper: newConversationSweeper(u),
	}
}

// tx is a transaction in progress: what all rooms share, and the stores of this one.
type tx struct {
	*market.Tx
	Store
}

type unit = market.Unit[*tx]

// Opener opens the room's stores of a transaction.
type Opener interface{ TalkingStore(market.Stores) Store }

func in(o Opener) func(*market.Tx) *tx {
	return func(t *market.Tx) *tx { return &tx{t, o.TalkingStore(t.Stores)} }
}
