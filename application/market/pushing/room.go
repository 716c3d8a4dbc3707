package pushing

import (
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/job"
)

// Job is the kind of jobs that push a notification to a subscription, which is the subject.
const Job job.Kind = "push"

// AtOnce is how many messages a process sends at once.
const AtOnce = 8

// Config has the settings of the room.
type Config struct {
	Pusher Pusher
	Ended  EndedSessions
	Words  Words
	Title  string         // of all messages: the name of the service
	Zone   *time.Location // of quiet hours
	Log    *slog.Logger
}

// Room has the use cases of the room.
type Room struct {
	PushSubscriptions *Subscriptions
	Pushes            *Sender
}

// New returns the use cases over the storage of an adapter.
func New(d market.Deps, s Reader, open Open, c Config) *Room {
	u := unit{Deps: d, In: in(open)}
	return &Room{PushSubscriptions: newSubscriptions(u, s, c), Pushes: newSender(u, s, c)}
}

// Join adds what the room does when something happens in another one.
func Join(h *market.Hooks, open Open) {
	h.Notified.Add(market.InRoom(in(open), (*tx).enqueueAll))
	h.UserErased.Add(market.InRoom(in(open), (*tx).erase))
	h.UserWithdrawn.Add(market.InRoom(in(open), (*tx).withdraw))
}

// Periodic lists the work that the room does again and again.
func (r *Room) Periodic() []market.Periodic {
	return []market.Periodic{{Name: "delete_push_subscriptions", Every: time.Hour, Do: market.Once(r.PushSubscriptions.Sweep)}}
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
