package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// natsLedger stores a record for each message in a key-value bucket. Its revision decides
// which of two concurrent writers wins.
type natsLedger struct {
	js     jetstream.JetStream
	lease  time.Duration
	bucket atomic.Pointer[jetstream.KeyValue]
}

type record struct {
	Attempt int       `json:"try"`
	Until   time.Time `json:"until,omitzero"` // end of the lease
	Done    bool      `json:"done,omitempty"`
}

func (l *natsLedger) open(ctx context.Context) error {
	bucket, err := l.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: ledgerName, TTL: ledgerTTL, History: 1})
	if errors.Is(err, jetstream.ErrBucketExists) {
		bucket, err = l.js.KeyValue(ctx, ledgerName)
	}
	if err != nil {
		return fmt.Errorf("bucket %s: %w", ledgerName, err)
	}
	l.bucket.Store(&bucket)
	return nil
}

func (l *natsLedger) claim(ctx context.Context, id string) (entry, error) {
	known, revision, err := l.read(ctx, id)
	now := time.Now()
	switch {
	case err != nil:
		return entry{}, err
	case known.Done:
		return entry{state: settled}, nil
	case now.Before(known.Until):
		return entry{state: leased}, nil
	}
	known.Attempt++
	known.Until = now.Add(l.lease)
	switch err := l.write(ctx, id, known, revision); {
	case errors.Is(err, jetstream.ErrKeyExists):
		return entry{state: leased}, nil
	case err != nil:
		return entry{}, err
	}
	return entry{state: claimed, attempt: known.Attempt}, nil
}

func (l *natsLedger) markSettled(ctx context.Context, id string) error {
	known, revision, err := l.read(ctx, id)
	if err != nil {
		return err
	}
	return l.write(ctx, id, record{Attempt: known.Attempt, Done: true}, revision)
}

func (l *natsLedger) release(ctx context.Context, id string, uncounted bool) error {
	known, revision, err := l.read(ctx, id)
	if err != nil || known.Done {
		return err
	}
	known.Until = time.Time{}
	if uncounted {
		known.Attempt--
	}
	return l.write(ctx, id, known, revision)
}

// read returns revision 0 if there is no record.
func (l *natsLedger) read(ctx context.Context, id string) (record, uint64, error) {
	var r record
	bucket := l.bucket.Load()
	if bucket == nil {
		return r, 0, errors.New("not connected yet")
	}
	found, err := (*bucket).Get(ctx, id)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return r, 0, nil
	}
	if err != nil {
		return r, 0, err
	}
	return r, found.Revision(), json.Unmarshal(found.Value(), &r)
}

// write returns jetstream.ErrKeyExists if the record changed after it was read.
func (l *natsLedger) write(ctx context.Context, id string, r record, revision uint64) error {
	value, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if revision == 0 {
		_, err = (*l.bucket.Load()).Create(ctx, id, value)
	} else {
		_, err = (*l.bucket.Load()).Update(ctx, id, value, revision)
	}
	return err
}
