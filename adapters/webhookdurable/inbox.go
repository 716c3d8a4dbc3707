// Package webhookdurable makes the handlers of a receiver durable: each verified delivery is
// stored in a SQLite file before the sender gets its 200, runs once however often it arrives, and
// is tried again until its handlers succeed.
//
//	r := hooks.Must(secret)
//	r.Handle("push", deploy)
//	inbox, err := webhookdurable.Open("webhooks.db", r)
//	…
//	defer inbox.Close()
//	http.ListenAndServe(addr, hooks.Handler(r, hooks.Options{}))
//
// It is a package of its own because of what it needs: a program that imports only package
// webhookhttp gets no database.
package webhookdurable

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/octavo-books/octavo/adapters/filelock"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/webhook"
)

var (
	// ErrInUse refuses to open a file that another Inbox has, in this program or another one.
	ErrInUse = errors.New("webhookdurable: the file is in use")
	// ErrClosed refuses to read an Inbox after its Close.
	ErrClosed = errors.New("webhookdurable: the inbox is closed")
	// ErrNotFound means that no delivery with the ID is stored, or no longer.
	ErrNotFound error = inbox.ErrNotFound
	// ErrPayloadGone means that a delivery cannot be handled again, because its payload, which is
	// stored for a week, is no longer there.
	ErrPayloadGone error = inbox.ErrPayloadGone
)

// Options changes how handlers run. The zero value has the defaults.
type Options struct {
	// Concurrency is how many deliveries are handled at the same time; 0 means 16.
	Concurrency int
	// Timeout limits one try; 0 means one minute, the most are five. The handlers' context ends
	// then.
	Timeout time.Duration
	// MaxTries is after how many tries a delivery is a dead letter; 0 means 36, about a day.
	MaxTries int
	// OrderBy is a path into the payload, such as repository.id: deliveries with the same value
	// are handled in their order, one at a time.
	OrderBy string
	// Logger gets what goes wrong; nil means slog.Default.
	Logger *slog.Logger
}

// Inbox stores the deliveries of a receiver and runs its handlers.
type Inbox struct {
	lock    *filelock.Lock
	service *serving.Service
	db      *gormstore.DB
	store   *inboxstore.Inbox
	stop    context.CancelFunc
	ended   chan struct{}
	close   sync.Once
	failure error
}

// Open is OpenWith with the defaults.
func Open(path string, r *receiver.Receiver) (*Inbox, error) { return OpenWith(path, r, Options{}) }

// OpenWith opens or creates the file and makes the receiver store what it verifies. What the file
// still has to do, it begins at once, so register the handlers before. A delivery that arrives
// again under the same ID is acknowledged and not handled again; one whose handlers fail is
// handled again after about a second, then two, four and so on up to an hour, or when
// receiver.Retry says, and all its handlers run then, also those that had succeeded. An error with
// status 410 (receiver.WithStatus) ends the tries. Only one Inbox at a time may have the file, which
// a lock on PATH.lock beside it sees to; for another one the error is ErrInUse.
func OpenWith(path string, r *receiver.Receiver, o Options) (*Inbox, error) {
	if path == "" || r == nil {
		return nil, errors.New("webhookdurable: the path or the receiver is missing")
	}
	rule, err := o.rule()
	if err != nil {
		return nil, err
	}
	lock, err := filelock.Acquire(path + ".lock")
	if held := (*filelock.HeldError)(nil); errors.As(err, &held) {
		return nil, fmt.Errorf("%w: %s, %w", ErrInUse, path, held)
	} else if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	log := cmp.Or(o.Logger, slog.Default())
	db, err := gormstore.Open(ctx, "sqlite:"+path, log)
	if err != nil {
		stop()
		return nil, errors.Join(err, lock.Release())
	}
	i := &Inbox{lock: lock, db: db, store: inboxstore.New(db), stop: stop, ended: make(chan struct{})}
	if err := i.start(ctx, r, rule, log); err != nil {
		close(i.ended)
		return nil, errors.Join(err, i.Close())
	}
	return i, nil
}

// rule is the one that takes every delivery.
func (o Options) rule() (inbox.Rule, error) {
	rule, err := inbox.Rule{
		Name: ruleName, Match: "*", URL: "http://127.0.0.1/", Sign: inbox.SignNone, AnyName: true, OrderBy: o.OrderBy,
		Concurrency: cmp.Or(o.Concurrency, 16), Timeout: cmp.Or(o.Timeout, time.Minute), MaxTries: o.MaxTries,
	}.Complete()
	if f := fault.As(err); f != nil {
		for option, why := range f.Fields {
			return rule, fmt.Errorf("webhookdurable: Options: %s: %s", option, why)
		}
	}
	return rule, err
}

func (i *Inbox) start(ctx context.Context, r *receiver.Receiver, rule inbox.Rule, log *slog.Logger) error {
	if err := i.db.Migrate(ctx, inboxstore.Migrations); err != nil {
		return err
	}
	clock := system.Clock{}
	service, err := serving.New(inbox.Ports{
		Store: i.store, Forwarder: handlers{r}, Meter: noMeter{}, Clock: clock.Now, IDs: system.NewIDs(clock, rand.Reader).Next,
		Random: rand.Reader,
	}, serving.DefaultConfig(), []inbox.Rule{rule}, "nothing is signed", log)
	if err != nil {
		return err
	}
	service.SetSources(map[string]inbox.Source{inbox.DefaultSource: {Sender: r.Sender()}})
	if err := service.Recover(ctx); err != nil {
		return err
	}
	i.service = service
	r.StoreWith(service.Accept)
	go func() {
		defer close(i.ended)
		service.Run(ctx)
	}()
	return nil
}

// ruleName identifies the jobs in the file.
const ruleName = "handlers"

// Close waits for the running handlers, up to some seconds, and closes the file. Deliveries that
// arrive afterwards are answered 503, so that the sender sends them again.
func (i *Inbox) Close() error {
	i.close.Do(func() {
		i.stop()
		<-i.ended
		i.failure = errors.Join(i.store.Close(), i.db.Close(), i.lock.Release())
	})
	return i.failure
}

// Dead is a delivery whose handlers have failed for good.
type Dead struct {
	ID         string
	Event      webhook.EventName
	Action     string
	ReceivedAt time.Time
	Tries      int
	Error      string // of the last try
}

// maxDead limits the list of dead letters.
const maxDead = 100

// isClosed reports whether nothing can be read any more.
func (i *Inbox) isClosed() bool {
	select {
	case <-i.ended:
		return true
	default:
		return false
	}
}

// DeadLetters returns the newest dead letters, newest first. The error after Close is ErrClosed.
func (i *Inbox) DeadLetters(ctx context.Context) (all []Dead, err error) {
	if i.isClosed() {
		return nil, ErrClosed
	}
	q := inbox.Query{State: "dead", Limit: maxDead}
	for {
		page, next, err := i.service.ListDeliveries(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, d := range page {
			all = append(all, newDead(d))
		}
		if q.Before = next; next == 0 || len(all) >= maxDead {
			return all[:min(len(all), maxDead)], nil
		}
	}
}

func newDead(d inbox.Delivery) Dead {
	dead := Dead{ID: d.ID, Event: d.Event, Action: d.Action, ReceivedAt: d.ReceivedAt}
	for _, job := range d.Jobs {
		if job.State == inbox.Dead {
			dead.Tries, dead.Error = job.Attempts, job.Error
		}
	}
	return dead
}

// Redeliver handles a stored delivery again, at once. The errors are ErrNotFound, ErrPayloadGone and
// ErrClosed.
func (i *Inbox) Redeliver(ctx context.Context, id string) error {
	if i.isClosed() {
		return ErrClosed
	}
	_, err := i.service.Redeliver(ctx, inbox.DefaultSource, id)
	return err
}
