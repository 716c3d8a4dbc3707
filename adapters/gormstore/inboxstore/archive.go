package inboxstore

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// FindDelivery returns a delivery by the sender's id.
func (i *Inbox) FindDelivery(ctx context.Context, source, id string) (inbox.Delivery, error) {
	page, err := i.readVersions(ctx, source, id, 1)
	if first, ok := inbox.FirstVersion(id); ok && err == nil && len(page) == 0 {
		page, err = i.readDeliveries(ctx, "id = ? AND (? = '' OR source = ?) ORDER BY seq DESC LIMIT 1", first, source, source)
	}
	if err != nil {
		return inbox.Delivery{}, err
	}
	if len(page) == 0 {
		return inbox.Delivery{}, inbox.ErrNotFound
	}
	d := page[0]
	if d.Attempts, err = i.readAttempts(ctx, d.Seq); err != nil {
		return inbox.Delivery{}, err
	}
	if d.Others, err = i.readOthers(ctx, d); err != nil {
		return inbox.Delivery{}, err
	}
	d.Payload, err = i.ReadPayload(ctx, d.Seq)
	return d, err
}

// FindVersions returns the newest deliveries with the sender's id.
func (i *Inbox) FindVersions(ctx context.Context, source, id string, limit int) ([]inbox.Delivery, error) {
	page, err := i.readVersions(ctx, source, id, limit)
	for n := range page {
		if page[n].Payload, err = i.ReadPayload(ctx, page[n].Seq); err != nil && !errors.Is(err, inbox.ErrPayloadDamaged) {
			return nil, err
		}
	}
	return page, noDamage(err)
}

func noDamage(err error) error {
	if errors.Is(err, inbox.ErrPayloadDamaged) {
		return nil
	}
	return err
}

// versions selects the deliveries whose id or original is given, by two indexes.
const versions = `seq IN (SELECT seq FROM inbox_deliveries WHERE id = ? UNION ALL SELECT seq FROM inbox_deliveries WHERE original = ? AND original <> '')`

// readVersions reads the newest deliveries of a source, or of all for "", with the sender's id.
func (i *Inbox) readVersions(ctx context.Context, source, id string, limit int) ([]inbox.Delivery, error) {
	return i.readDeliveries(ctx, versions+` AND (? = '' OR source = ?) ORDER BY seq DESC LIMIT ?`, id, id, source, source, limit)
}

// maxOthers bounds Delivery.Others.
const maxOthers = 100

// readOthers returns the names of the other deliveries with the sender's id.
func (i *Inbox) readOthers(ctx context.Context, d inbox.Delivery) ([]string, error) {
	return rawsql.Collect(ctx, i.read, rawsql.Text[string], `SELECT CASE WHEN original = '' THEN id || '~1' ELSE id END FROM inbox_deliveries WHERE `+versions+
		` AND source = ? AND seq <> ? ORDER BY seq DESC LIMIT ?`, d.SenderID(), d.SenderID(), d.Source, d.Seq, maxOthers)
}

func scanBytes() ([]any, func() []byte) {
	var b []byte
	return []any{&b}, func() []byte { return b }
}

// AddRedelivery adds jobs, replacing the dead ones and waiting ones of the same rules.
func (i *Inbox) AddRedelivery(ctx context.Context, seq int64, jobs []inbox.Job) error {
	return i.atomically(ctx, func(ctx context.Context, c rawsql.Conn) error {
		position, err := i.lockDelivery(ctx, c, seq)
		if err != nil {
			return err
		}
		if _, err := c.Exec(ctx, `UPDATE inbox_jobs SET state = 3 WHERE seq = ? AND state = 2`, seq); err != nil {
			return err
		}
		for _, j := range jobs {
			// A leased job is not replaced: whether its send arrives is not known yet.
			if _, err := c.Exec(ctx, `UPDATE inbox_jobs SET state = 3 WHERE seq = ? AND rule = ? AND state = 0 AND lease_until <= ?`,
				seq, j.Rule, rawsql.Micros(j.DueAt)); err != nil {
				return err
			}
		}
		if err := limitAttempts(ctx, c, position); err != nil {
			return err
		}
		return i.insertAgain(ctx, c, seq, jobs)
	})
}

// insertAgain adds jobs to a delivery, which is matched from then on.
func (i *Inbox) insertAgain(ctx context.Context, c rawsql.Conn, seq int64, jobs []inbox.Job) error {
	if _, err := c.Exec(ctx, `UPDATE inbox_deliveries SET unmatched = 0 WHERE seq = ? AND unmatched = 1`, seq); err != nil {
		return err
	}
	notify(c, inbox.JobsChanged)
	return i.insertJobs(ctx, c, jobs, 0)
}

// AddRepeat adds jobs by rules that have not accepted the delivery.
func (i *Inbox) AddRepeat(ctx context.Context, seq int64, jobs []inbox.Job) (added []inbox.Job, err error) {
	err = i.atomically(ctx, func(ctx context.Context, c rawsql.Conn) error {
		added = nil
		position, err := i.lockDelivery(ctx, c, seq)
		if err != nil {
			return err
		}
		existing, err := rawsql.Collect(ctx, c, scanJob, `SELECT `+jobColumns+` FROM inbox_jobs WHERE seq = ? ORDER BY id`, seq)
		if err != nil {
			return err
		}
		if added = inbox.RepeatedJobs(existing, jobs); len(added) == 0 {
			return nil
		}
		if _, err := c.Exec(ctx, `UPDATE inbox_jobs SET state = 3 WHERE seq = ? AND state = 2`, seq); err != nil {
			return err
		}
		if err := limitAttempts(ctx, c, position); err != nil {
			return err
		}
		return i.insertAgain(ctx, c, seq, added)
	})
	return added, err
}

// lockDelivery locks a delivery, so that PruneDeliveries waits, and returns its position.
// The errors are inbox.ErrNotFound and inbox.ErrPayloadGone. Reading the payload locks its
// partition, which is not dropped before the new jobs are committed.
func (i *Inbox) lockDelivery(ctx context.Context, c rawsql.Conn, seq int64) (position int64, err error) {
	position, known, err := rawsql.One(ctx, c, rawsql.Integer[int64],
		`SELECT d.position FROM inbox_deliveries d WHERE d.seq = ?`+i.forUpdate(), seq)
	if err != nil {
		return 0, err
	}
	if !known {
		return 0, inbox.ErrNotFound
	}
	_, stored, err := rawsql.One(ctx, c, rawsql.Integer[int64], `SELECT seq FROM inbox_payloads WHERE position = ?`, position)
	if err == nil && !stored {
		err = inbox.ErrPayloadGone
	}
	return position, err
}
