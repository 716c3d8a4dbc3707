package message

import (
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// The bounds of the mails of one gathered kind to one person. Kinds are gathered of which one act can cause thousands: anybody
// lists books, and an owner unlists all old ones.
const (
	DigestGap   = time.Hour
	DigestDay   = 24 * time.Hour
	DigestsADay = 5
	DigestItems = 20 // that a mail lists; it counts the others
	// DigestSettles is how long what one run of many transactions causes waits for its end.
	DigestSettles = 10 * time.Minute
)

// settles returns how long the first item that waits does so at least.
func (k Kind) settles() time.Duration {
	if k == BookUnlisted {
		return DigestSettles
	}
	return 0
}

// Item is one book that a mail of a gathered kind is about.
type Item struct {
	Book         int64  // its ID
	Source       int64  // ID of the request that it matches, of the saved search that found it, or of itself
	Title        string // as ParamBook
	Course       string
	Price        string
	Reason       string
	Subscription string
}

// Digest bounds the mails of a gathered kind to one person: what it is too early to mail waits
// for the next mail.
type Digest struct {
	To    user.ID
	Kind  Kind
	Sent  []time.Time // the last DigestsADay mails, oldest first
	Items []Item      // that wait, oldest first
	More  int         // others that wait
	Due   time.Time   // what waits does so at least until then; zero: it need not
}

// Add lets an item wait. Beyond DigestItems it is only counted.
func (d *Digest) Add(i Item, now time.Time) {
	if s := d.Kind.settles(); s > 0 && !d.Waits() {
		d.Due = now.Add(s)
	}
	if len(d.Items) < DigestItems {
		d.Items = append(d.Items, i)
		return
	}
	d.More++
}

// Waits reports whether there is something to mail.
func (d Digest) Waits() bool { return len(d.Items)+d.More > 0 }

// Next returns when the next mail may be sent; zero: at once.
func (d Digest) Next() time.Time {
	if next := d.bound(); !d.Waits() || next.After(d.Due) {
		return next
	}
	return d.Due
}

// bound returns when the mails that were sent allow another.
func (d Digest) bound() time.Time {
	n := len(d.Sent)
	if n == 0 {
		return time.Time{}
	}
	next := d.Sent[n-1].Add(DigestGap)
	if n < DigestsADay {
		return next
	}
	if first := d.Sent[n-DigestsADay].Add(DigestDay); first.After(next) {
		return first
	}
	return next
}

// Take empties the digest. If anything is left of its items, given as those that still hold, or
// of those that are only counted, it records a mail at now and returns what to list and how many
// others there are. A book is listed once.
func (d *Digest) Take(holding []Item, now time.Time) (list []Item, more int, ok bool) {
	for _, i := range holding {
		if !slices.ContainsFunc(list, func(l Item) bool { return l.Book == i.Book }) {
			list = append(list, i)
		}
	}
	more = d.More
	d.Items, d.More, d.Due = nil, 0, time.Time{}
	if len(list)+more == 0 {
		return nil, 0, false
	}
	d.Sent = append(d.Sent, now)
	d.Sent = slices.Clone(d.Sent[max(0, len(d.Sent)-DigestsADay):])
	return list, more, true
}

// WakesAt returns when to look at the digest again: to mail what waits, or to delete it, because
// its last mail bounds nothing any more.
func (d Digest) WakesAt() time.Time {
	if d.Waits() || len(d.Sent) == 0 {
		return d.Next()
	}
	return d.Sent[len(d.Sent)-1].Add(DigestDay)
}

// Spent reports whether the digest can be deleted.
func (d Digest) Spent(now time.Time) bool { return !d.Waits() && !now.Before(d.WakesAt()) }

// The separators of ParamItems. Titles and course codes have no control characters.
const (
	itemSeparator  = "\n"
	fieldSeparator = "\t"
)

// JoinItems writes items as the value of ParamItems: a line for each, with title, course, price
// and reason between tabs.
func JoinItems(all []Item) string {
	clean := strings.NewReplacer(itemSeparator, " ", fieldSeparator, " ")
	lines := make([]string, len(all))
	for n, i := range all {
		fields := []string{i.Title, i.Course, i.Price, i.Reason}
		for f := range fields {
			fields[f] = clean.Replace(fields[f])
		}
		lines[n] = strings.Join(fields, fieldSeparator)
	}
	return strings.Join(lines, itemSeparator)
}

// SplitItems reads what JoinItems has written. It skips other lines.
func SplitItems(s string) (all []Item) {
	for line := range strings.SplitSeq(s, itemSeparator) {
		if f := strings.Split(line, fieldSeparator); len(f) == 4 {
			all = append(all, Item{Title: f[0], Course: f[1], Price: f[2], Reason: f[3]})
		}
	}
	return all
}
