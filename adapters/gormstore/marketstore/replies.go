package marketstore

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
)

// replies is market.ReplyStore. The columns are named for what a checkout makes and
// does not get; they hold the ids of whatever was made, and of the books.
type replies struct{ conn }

func (s replies) Claim(ctx context.Context, owner user.ID, key string, then, now time.Time) (*market.Reply, error) {
	n, err := s.Exec(ctx, `INSERT INTO replies (owner_id, key, body_hash, refusal, orders, unavailable, created_at)
		VALUES (?, ?, ?, '', '', '', ?) ON CONFLICT (owner_id, key) DO UPDATE SET body_hash = excluded.body_hash,
			refusal = '', orders = '', unavailable = '', created_at = excluded.created_at
		WHERE replies.created_at < ?`, int64(owner), key, []byte{}, rawsql.Micros(now), rawsql.Micros(then))
	if err != nil {
		return nil, err
	}
	if n == 1 {
		return nil, s.sweep(ctx, then)
	}
	kept, found, err := rawsql.One(ctx, s.Conn, readReply, `SELECT body_hash, refusal, orders, unavailable, created_at FROM replies
		WHERE owner_id = ? AND key = ?`, int64(owner), key)
	if err == nil && !found {
		err = errReplyGone
	}
	if err != nil {
		return nil, err
	}
	return kept.reply()
}

// swept is how many old replies a claim takes away: more than the one that it
// adds, and not so many that somebody waits for it.
const swept = 20

// sweep forgets old replies. Those that another step is forgetting are left to it,
// so that claims do not wait for each other.
func (s replies) sweep(ctx context.Context, then time.Time) error {
	_, err := s.Exec(ctx, `DELETE FROM replies WHERE (owner_id, key) IN (
		SELECT owner_id, key FROM replies WHERE created_at < ? ORDER BY created_at LIMIT ?`+s.SkipLocked()+`)`, rawsql.Micros(then), swept)
	return err
}

// errReplyGone cannot happen but by a hand in the database.
var errReplyGone = errors.New("a kept reply vanished within its step")

type replyRow struct {
	hash                 []byte
	refusal, made, books string
	at                   int64
}

func readReply() ([]any, func() replyRow) {
	var r replyRow
	return []any{&r.hash, &r.refusal, &r.made, &r.books, &r.at}, func() replyRow { return r }
}

func (r replyRow) reply() (*market.Reply, error) {
	out := market.Reply{Refusal: r.refusal, At: rawsql.Time(r.at)}
	copy(out.BodyHash[:], r.hash)
	err := errors.Join(json.Unmarshal([]byte(r.made), &out.Made), json.Unmarshal([]byte(r.books), &out.Books))
	return &out, err
}

func (s replies) Keep(ctx context.Context, owner user.ID, key string, r market.Reply) error {
	made, err1 := json.Marshal(r.Made)
	books, err2 := json.Marshal(r.Books)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	_, err := s.Exec(ctx, "UPDATE replies SET body_hash = ?, refusal = ?, orders = ?, unavailable = ? WHERE owner_id = ? AND key = ?",
		r.BodyHash[:], r.Refusal, string(made), string(books), int64(owner), key)
	return err
}
