package serving

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/sending"
)

// The limits of one transaction. The entries that are queued last may exceed them.
const (
	maxBatch      = 256
	maxBatchBytes = 4 << 20
)

// A transaction costs as much as storing several deliveries. Under concurrent
// load it begins when all expected deliveries have arrived, when none has arrived
// for arrivalGap, and at the latest maxCollectTime after the first. For a single
// sender it begins at once.
const (
	arrivalGap     = time.Millisecond
	maxCollectTime = 3 * time.Millisecond
)

// commitTimeout bounds a transaction, so that a hanging store becomes an error.
const commitTimeout = 20 * time.Second

// entry is a queued delivery. done is called exactly once.
type entry struct {
	delivery inbox.Delivery
	reserved []*sending.Pool // see Service.prepare
	replay   inbox.Replay
	done     func(fresh bool, err error)
	stored   chan storedResult // gets what done gets
}

// renumber gives the delivery and its jobs other ids.
func (e *entry) renumber(ids inbox.IDs) {
	e.delivery.Seq = ids.Next()
	for i := range e.delivery.Jobs {
		e.delivery.Jobs[i].ID, e.delivery.Jobs[i].Seq = ids.Next(), e.delivery.Seq
	}
}

type storedResult struct {
	fresh bool
	err   error
}

// wait returns whether the delivery was stored now, and the error of storing it or the context's.
func (e *entry) wait(ctx context.Context) (fresh bool, err error) {
	select {
	case result := <-e.stored:
		return result.fresh, result.err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// committer stores queued deliveries and outcomes in few transactions: while one
// transaction is being written, the next batch collects.
type committer struct {
	deliveries inbox.Store
	ids        inbox.IDs
	log        *slog.Logger
	replays    bool
	entries    chan []*entry // each stored in one transaction, in its order
	outcomes   chan reported

	mu      sync.RWMutex
	closed  bool
	stop    chan struct{}
	running sync.WaitGroup
}

func newCommitter(ports inbox.Ports, config Config, log *slog.Logger) *committer {
	return &committer{
		deliveries: ports.Store, ids: ports.IDs, log: log, replays: config.ReplayWindow > 0, stop: make(chan struct{}),
		entries: make(chan []*entry, config.MaxBuffered), outcomes: make(chan reported, maxBatch),
	}
}

// start runs n concurrent committers.
func (c *committer) start(n int) {
	for range n {
		c.running.Go(c.run)
	}
}

// add queues entries for one transaction. The errors are ErrStopped and ErrFull.
func (c *committer) add(entries []*entry) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return inbox.ErrStopped
	}
	select {
	case c.entries <- entries:
		return nil
	default:
		return inbox.ErrFull
	}
}

// close refuses new entries. Entries already queued are still stored.
func (c *committer) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// drain stores everything that is still queued and returns when it is done. No
// entry or outcome may be queued after the call.
func (c *committer) drain() {
	close(c.stop)
	c.running.Wait()
}

func (c *committer) run() {
	expected := 0
	for {
		batch := c.collect(expected)
		if len(batch.entries)+len(batch.outcomes) == 0 {
			return
		}
		expected = c.store(batch)
	}
}

// reported is an outcome with what is called after the commit, if anything.
type reported struct {
	inbox.Outcome
	onStored func()
}

// pendingBatch is the work of the next transaction.
type pendingBatch struct {
	entries  []*entry
	outcomes []reported
	senders  int // that wait for entries
	bytes    int
}

func (b *pendingBatch) full() bool {
	return len(b.entries)+len(b.outcomes) >= maxBatch || b.bytes >= maxBatchBytes
}

func (b *pendingBatch) add(entries []*entry) {
	b.entries = append(b.entries, entries...)
	b.senders++
	for _, e := range entries {
		b.bytes += len(e.delivery.Payload)
	}
}

// collect waits for the first entry or outcome and adds everything else that is
// queued. If several senders are expected, it waits for them as long as more
// keep arriving. The batch is empty only after drain.
func (c *committer) collect(expected int) *pendingBatch {
	batch := &pendingBatch{}
	select {
	case e := <-c.entries:
		batch.add(e)
	case o := <-c.outcomes:
		batch.outcomes = append(batch.outcomes, o)
	case <-c.stop:
		expected = 0
	}
	c.collectQueued(batch)
	if expected < 2 {
		return batch
	}
	for deadline := time.Now().Add(maxCollectTime); batch.senders < expected && !batch.full() && time.Now().Before(deadline); {
		if !c.collectNext(batch) {
			break
		}
		c.collectQueued(batch)
	}
	return batch
}

// collectQueued adds what is queued, up to a full batch.
func (c *committer) collectQueued(batch *pendingBatch) {
	for !batch.full() {
		select {
		case e := <-c.entries:
			batch.add(e)
		case o := <-c.outcomes:
			batch.outcomes = append(batch.outcomes, o)
		default:
			return
		}
	}
}

// collectNext waits up to arrivalGap for one more delivery.
func (c *committer) collectNext(batch *pendingBatch) bool {
	gap := time.NewTimer(arrivalGap)
	defer gap.Stop()
	select {
	case e := <-c.entries:
		batch.add(e)
		return true
	case <-gap.C:
		return false
	}
}

// store stores the batch in one transaction. If that fails, it stores each
// delivery in a transaction of its own, once, so that one bad delivery does not
// fail the others, and with other ids, because a replica may have generated the same in
// the same millisecond. It returns how many senders to expect next: those queued by
// now, and each that gets its answer.
func (c *committer) store(batch *pendingBatch) (expected int) {
	fresh, err := c.write(batch.entries, batch.outcomes)
	expected = len(c.entries) + batch.senders
	if err == nil {
		resolve(batch, fresh)
		return expected
	}
	c.log.Warn("storing deliveries failed", "deliveries", len(batch.entries), "outcomes", len(batch.outcomes), "error", err)
	if len(batch.outcomes) > 0 {
		if _, err := c.write(nil, batch.outcomes); err != nil {
			// The jobs are sent again when their leases expire.
			c.log.Error("storing the outcomes of deliveries failed", "outcomes", len(batch.outcomes), "error", err)
		}
		resolve(&pendingBatch{outcomes: batch.outcomes}, nil)
	}
	for _, e := range batch.entries {
		e.renumber(c.ids)
		one, err := c.write([]*entry{e}, nil)
		if err != nil {
			c.log.Error("storing a delivery failed", "source", e.delivery.Source, "id", e.delivery.ID, "error", err)
			e.done(false, inbox.ErrNotStored)
			continue
		}
		e.done(one[0], nil)
	}
	return expected
}

// resolve notifies the callers of everything in a stored batch.
func resolve(batch *pendingBatch, fresh []bool) {
	for i, e := range batch.entries {
		e.done(fresh[i], nil)
	}
	for _, o := range batch.outcomes {
		if o.onStored != nil {
			o.onStored()
		}
	}
}

func (c *committer) write(entries []*entry, outcomes []reported) ([]bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), commitTimeout)
	defer cancel()
	b := inbox.Batch{Deliveries: make([]inbox.Delivery, len(entries)), Outcomes: make([]inbox.Outcome, len(outcomes))}
	for i, o := range outcomes {
		b.Outcomes[i] = o.Outcome
	}
	for i, e := range entries {
		b.Deliveries[i] = e.delivery
		if c.replays {
			b.Replays = append(b.Replays, e.replay)
		}
	}
	return c.deliveries.CommitBatch(ctx, b)
}
