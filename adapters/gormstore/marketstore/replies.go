package marketstore

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
)

// replies is market.ReplyStore.
type replies struct{ conn }

func (s replies) Claim(ctx context.Context, owner user.ID, key string, then, now time.Time) (*market.Reply, error) {
	if _, err := s.exec(ctx, "DELETE FROM replies WHERE created_at < ?", micros(then)); err != nil {
		return nil, err
	}
	n, err := s.exec(ctx, `INSERT INTO replies (owner_id, key, body_hash, refusal, orders, unavailable, created_at)
		VALUES (?, ?, ?, '', '', '', ?) ON CONFLICT (owner_id, key) DO NOTHING`, int64(owner), key, []byte{}, micros(now))
	if err != nil || n == 1 {
		return nil, err
	}
	kept, found, err := one(ctx, s.conn, scanReply, `SELECT body_hash, refusal, orders, unavailable FROM replies
		WHERE owner_id = ? AND key = ?`, int64(owner), key)
	if err == nil && !found {
		err = errReplyGone
	}
	return &kept, err
}

// errReplyGone cannot happen but by a hand in the database.
var errReplyGone = errors.New("a kept reply vanished within its step")

func scanReply(r row) (reply market.Reply, err error) {
	var hash []byte
	var orders, unavailable string
	if err := r.Scan(&hash, &reply.Refusal, &orders, &unavailable); err != nil {
		return reply, err
	}
	copy(reply.BodyHash[:], hash)
	return reply, errors.Join(json.Unmarshal([]byte(orders), &reply.Orders), json.Unmarshal([]byte(unavailable), &reply.Unavailable))
}

func (s replies) Keep(ctx context.Context, owner user.ID, key string, r market.Reply) error {
	orders, err1 := json.Marshal(r.Orders)
	unavailable, err2 := json.Marshal(r.Unavailable)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	_, err := s.exec(ctx, "UPDATE replies SET body_hash = ?, refusal = ?, orders = ?, unavailable = ? WHERE owner_id = ? AND key = ?",
		r.BodyHash[:], r.Refusal, string(orders), string(unavailable), int64(owner), key)
	return err
}
