package market

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// Gather mails a user about an item, at once or with those that follow: see message.Digest.
func (t *Tx) Gather(kind message.Kind, to user.ID, i message.Item) {
	if t.gathered == nil {
		t.gathered = make(map[message.Kind]map[user.ID][]message.Item)
	}
	if t.gathered[kind] == nil {
		t.gathered[kind] = make(map[user.ID][]message.Item)
	}
	t.gathered[kind][to] = append(t.gathered[kind][to], i)
}

// flushDigests adds what the transaction has gathered to the digests of its people, and mails
// those that are due. It locks the digests in the order of their kinds and people, after
// everything else that a transaction locks.
func (t *Tx) flushDigests(ctx context.Context) error {
	for _, kind := range slices.Sorted(maps.Keys(t.gathered)) {
		if err := t.flushDigestsOf(ctx, kind, t.gathered[kind]); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) flushDigestsOf(ctx context.Context, kind message.Kind, gathered map[user.ID][]message.Item) error {
	users, err := t.FindUsers(ctx, slices.Sorted(maps.Keys(gathered))...)
	if err != nil {
		return err
	}
	maps.DeleteFunc(users, func(_ user.ID, u User) bool { return !u.mayGet(kind) })
	digests, err := t.LockDigests(ctx, kind, slices.Sorted(maps.Keys(users)))
	if err != nil {
		return err
	}
	for i := range digests {
		d := &digests[i]
		waited := len(d.Items)
		for _, item := range gathered[d.To] {
			d.Add(item, t.Now)
		}
		if err := t.mailDigest(ctx, d, users[d.To], waited); err != nil {
			return err
		}
	}
	return t.SaveDigests(ctx, digests, t.Now)
}

// mailDigest mails what waits in a locked digest if it is time. The first of its items, waited in
// number, may not hold any more.
func (t *Tx) mailDigest(ctx context.Context, d *message.Digest, u User, waited int) error {
	if t.Now.Before(d.Next()) {
		return nil
	}
	items := d.Items
	if waited > 0 {
		holding, err := t.FilterItems(ctx, d.Kind, items[:waited])
		if err != nil {
			return err
		}
		items = slices.Concat(holding, items[waited:])
	}
	list, more, ok := d.Take(items, t.Now)
	if !ok {
		return nil
	}
	return t.RecordSideEffects(ctx, SideEffects{Messages: []message.Message{t.messageTo(u, d.Kind, t.DigestParams(list, more))}})
}

// DigestParams are the params of a mail that lists items and counts more. The first item is also in
// the params of a mail about one.
func (t *Tx) DigestParams(list []message.Item, more int) map[string]string {
	params := map[string]string{}
	set := func(name, value string) {
		if value != "" {
			params[name] = value
		}
	}
	if len(list) > 0 {
		first := list[0]
		set(message.ParamBook, first.Title)
		set(message.ParamCourse, first.Course)
		set(message.ParamPrice, first.Price)
		set(message.ParamReason, first.Reason)
		more += len(list) - 1
	}
	if len(list) == 1 && more == 0 {
		set(message.ParamPicture, book.ID(list[0].Book).String())
	}
	if len(list) > 1 {
		set(message.ParamItems, message.JoinItems(list))
		params[message.ParamCurrency] = t.Currency.Code()
	}
	if more > 0 {
		set(message.ParamMore, strconv.Itoa(more))
	}
	var subscriptions []string
	for _, i := range list {
		if i.Subscription != "" && !slices.Contains(subscriptions, i.Subscription) {
			subscriptions = append(subscriptions, i.Subscription)
		}
	}
	set(message.ParamSubscription, strings.Join(subscriptions, ","))
	return t.withCurrency(params)
}

// DigestMailer mails the digests that are due.
type DigestMailer struct{ deps Deps }

// NewDigestMailer returns the use case.
func NewDigestMailer(d Deps) *DigestMailer { return &DigestMailer{d} }

// DigestBatch is how many digests MailDue looks at.
const DigestBatch = 50

// MailDue mails at most DigestBatch digests, deletes those that are spent, and returns how many it has
// looked at. A user who may not sign in any more gets none.
func (m *DigestMailer) MailDue(ctx context.Context) (n int, err error) {
	err = m.deps.WithTx(ctx, func(ctx context.Context, t *Tx) error {
		due, err := t.LockDueDigests(ctx, t.Now, DigestBatch)
		n = len(due)
		if err != nil || n == 0 {
			return err
		}
		return t.mailDueDigests(ctx, due)
	})
	return n, err
}

func (t *Tx) mailDueDigests(ctx context.Context, due []message.Digest) error {
	to := make([]user.ID, len(due))
	for i, d := range due {
		to[i] = d.To
	}
	users, err := t.FindUsers(ctx, to...)
	if err != nil {
		return err
	}
	for i := range due {
		d := &due[i]
		if u := users[d.To]; u.mayGet(d.Kind) {
			err = t.mailDigest(ctx, d, u, len(d.Items))
		} else {
			*d = message.Digest{To: d.To, Kind: d.Kind}
		}
		if err != nil {
			return err
		}
	}
	slices.SortFunc(due, func(a, b message.Digest) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.To, b.To)) })
	return t.SaveDigests(ctx, due, t.Now)
}
