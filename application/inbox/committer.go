package inbox

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// The most that one transaction takes.
const (
	maxBatch      = 256
	maxBatchBytes = 4 << 20
)

// A transaction costs as much as storing several deliveries. While senders come
// in crowds, it begins when all that are expected have come, when none has come
// for the gap, and no later than the long wait after the first; for a sender
// alone it begins at once.
const (
	gatherGap  = time.Millisecond
	longGather = 3 * time.Millisecond
)

// commitTimeout bounds a transaction, so that a store that hangs is a failure.
const commitTimeout = 20 * time.Second

// entry is a delivery that waits to be stored. done is called exactly once.
type entry struct {
	delivery Delivery
	replay   Replay
	done     func(fresh bool, err error)
}

// committer stores what waits in as few transactions as it takes. It keeps no
// timer: while one transaction is being written the next one gathers.
type committer struct {
	store    Store
	log      *slog.Logger
	replays  bool
	entries  chan *entry
	outcomes chan Outcome

	mu      sync.RWMutex
	stopped bool
	stop    chan struct{}
	running sync.WaitGroup
}

func newCommitter(store Store, config Config, log *slog.Logger) *committer {
	return &committer{
		store: store, log: log, replays: config.ReplayWindow > 0, stop: make(chan struct{}),
		entries: make(chan *entry, config.MaxWaiting), outcomes: make(chan Outcome, maxBatch),
	}
}

// start runs n committers side by side.
func (c *committer) start(n int) {
	for range n {
		c.running.Go(c.run)
	}
}

// add queues an entry, or says why it cannot.
func (c *committer) add(e *entry) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.stopped {
		return ErrStopped
	}
	select {
	case c.entries <- e:
		return nil
	default:
		return ErrFull
	}
}

// refuse lets no entry in any more; what is in will be stored.
func (c *committer) refuse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
}

// finish stores what is left and returns when all is. Nothing may come in now.
func (c *committer) finish() {
	close(c.stop)
	c.running.Wait()
}

func (c *committer) run() {
	expected := 0
	for {
		w := c.gather(expected)
		if len(w.entries)+len(w.outcomes) == 0 {
			return
		}
		expected = c.commit(w)
	}
}

// work is what one transaction shall store.
type work struct {
	entries  []*entry
	outcomes []Outcome
	bytes    int
}

func (w *work) full() bool {
	return len(w.entries)+len(w.outcomes) >= maxBatch || w.bytes >= maxBatchBytes
}

func (w *work) add(e *entry) {
	w.entries = append(w.entries, e)
	w.bytes += len(e.delivery.Payload)
}

// gather waits for the first piece of work and takes what else is there. Where
// several deliveries are expected it waits for them, as long as more keeps coming.
// It is empty only at the end.
func (c *committer) gather(expected int) *work {
	w := &work{}
	select {
	case e := <-c.entries:
		w.add(e)
	case o := <-c.outcomes:
		w.outcomes = append(w.outcomes, o)
	case <-c.stop:
		expected = 0
	}
	c.takeAll(w)
	if expected < 2 {
		return w
	}
	for deadline := time.Now().Add(longGather); len(w.entries) < expected && !w.full() && time.Now().Before(deadline); {
		if !c.takeNext(w) {
			break
		}
		c.takeAll(w)
	}
	return w
}

// takeAll takes what waits, up to a full batch.
func (c *committer) takeAll(w *work) {
	for !w.full() {
		select {
		case e := <-c.entries:
			w.add(e)
		case o := <-c.outcomes:
			w.outcomes = append(w.outcomes, o)
		default:
			return
		}
	}
}

// takeNext waits a moment for one more delivery.
func (c *committer) takeNext(w *work) bool {
	moment := time.NewTimer(gatherGap)
	defer moment.Stop()
	select {
	case e := <-c.entries:
		w.add(e)
		return true
	case <-moment.C:
		return false
	}
}

// commit stores the work together; where that fails, each piece alone once, so
// that one bad delivery does not refuse the others. It tells how many deliveries
// to expect next: those that wait by now, and one from each sender who is answered.
func (c *committer) commit(w *work) (expected int) {
	fresh, err := c.write(w.entries, w.outcomes)
	expected = len(c.entries) + len(w.entries)
	if err == nil {
		settle(w, fresh)
		return expected
	}
	c.log.Warn("storing deliveries failed", "deliveries", len(w.entries), "outcomes", len(w.outcomes), "error", err)
	if len(w.outcomes) > 0 {
		if _, err := c.write(nil, w.outcomes); err != nil {
			// Their leases run out and they are tried again.
			c.log.Error("outcomes of deliveries are lost", "outcomes", len(w.outcomes), "error", err)
		}
		settle(&work{outcomes: w.outcomes}, nil)
	}
	for _, e := range w.entries {
		one, err := c.write([]*entry{e}, nil)
		if err != nil {
			c.log.Error("a delivery is not stored", "id", e.delivery.ID, "error", err)
			e.done(false, ErrNotStored)
			continue
		}
		e.done(one[0], nil)
	}
	return expected
}

// settle tells everybody that their work is stored.
func settle(w *work, fresh []bool) {
	for i, e := range w.entries {
		e.done(fresh[i], nil)
	}
	for _, o := range w.outcomes {
		if o.stored != nil {
			o.stored()
		}
	}
}

func (c *committer) write(entries []*entry, outcomes []Outcome) ([]bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), commitTimeout)
	defer cancel()
	b := Batch{Deliveries: make([]Delivery, len(entries)), Outcomes: outcomes}
	for i, e := range entries {
		b.Deliveries[i] = e.delivery
		if c.replays {
			b.Replays = append(b.Replays, e.replay)
		}
	}
	return c.store.Commit(ctx, b)
}
