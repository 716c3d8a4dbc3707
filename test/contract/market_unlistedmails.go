package contract

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketUnlistedMails(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a store whose 2,000 books expire gets one mail":                    storeExpires,
		"the mail leaves out what the seller or an admin has decided since": decidedSince,
		"an admin's reason comes at once and alone":                         reasonsApart,
		"an admin who unlists many books writes one mail to each seller":    unlistMany,
		"how long a mail about them waits is stored":                        unlistedStored,
	})
}

func storeExpires(t *testing.T, b *MarketFixture) {
	ann, bob, owner := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "owner", user.Owner)
	got := must.Get(b.Imports.Import(t.Context(), ann, market.IdempotencyKey{}, csvOf(2000), selling.ImportOptions{}))(t)
	b.Post(t, bob, Draft("Topology", "MTH 440", 1000))
	b.Buy(t, bob, got.Books[0].ID)
	ids := must.Get(b.ExpireListings.Do(t.Context(), owner, 0, false))(t)
	if len(ids) != 2000 {
		t.Fatalf("%d books expire", len(ids))
	}
	b.mailDigests(t)
	if n := len(b.mailsOf(t, "ann", message.BookUnlisted)); n != 0 {
		t.Errorf("%d mails while more books may follow", n)
	}
	b.Clock.Advance(message.DigestSettles)
	for range 26 {
		b.mailDigests(t)
		b.Clock.Advance(message.DigestGap)
	}
	anns, bobs := b.mailsOf(t, "ann", message.BookUnlisted), b.mailsOf(t, "bob", message.BookUnlisted)
	if len(anns) != 1 || len(bobs) != 1 {
		t.Fatalf("%d mails to the store and %d to the seller of one book", len(anns), len(bobs))
	}
	wantDigest(t, anns[0], message.DigestItems, 1999)
	wantDigest(t, bobs[0], 1, 1)
	if r, named := anns[0].Params[message.ParamReason]; named || bobs[0].Params[message.ParamCourse] != "MTH 440" {
		t.Errorf("the reason is %q, and the other mail has %v", r, bobs[0].Params)
	}
	kept := must.Get(b.Ports.ListNotificationsAfter(t.Context(), ann.ID, 0, 2000))(t)
	latest := must.Get(b.Notifications.LatestID(t.Context(), ann))(t)
	if latest != 2001 || !slices.ContainsFunc(kept, func(n notification.Notification) bool { return n.Kind == notification.BookSold }) { // the welcome and the sale, too
		t.Errorf("the store was notified %d times; kept are %d", latest, len(kept))
	}
}

func decidedSince(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	dean, owner := b.Join(t, "dean", user.Admin), b.Join(t, "owner", user.Owner)
	relisted, held := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
	b.Post(t, ann, Draft("Logic", "PHL 110", 1000))
	id := b.report(t, bob, about(held))
	must.Get(b.ExpireListings.Do(t.Context(), owner, 0, false))(t)
	must.Get(b.Listings.Relist(t.Context(), ann, relisted.ID))(t)
	must.Get(b.Moderation.Resolve(t.Context(), dean, id, report.Unlist, "Not allowed."))(t)
	b.Clock.Advance(message.DigestSettles)
	b.mailDigests(t)
	mails := b.mailsOf(t, "ann", message.BookUnlisted)
	if len(mails) != 2 || mails[0].Params[message.ParamBook] != "Physics" || mails[1].Params[message.ParamBook] != "Logic" {
		t.Fatalf("mailed %+v", mails)
	}
	wantDigest(t, mails[1], 1, 1)
}

func reasonsApart(t *testing.T, b *MarketFixture) {
	ann, dean, owner := b.Join(t, "ann", user.Regular), b.Join(t, "dean", user.Admin), b.Join(t, "owner", user.Owner)
	for _, name := range []string{"Calculus", "Geometry"} {
		b.Post(t, ann, Draft(name, "MTH 161", 1000))
	}
	b.Clock.Advance(24 * time.Hour)
	spam, notes := b.Post(t, ann, Draft("Physics", "PHY 121", 1000)), b.Post(t, ann, Draft("Logic", "PHL 110", 1000))
	must.Get(b.ExpireListings.Do(t.Context(), owner, 1, false))(t)
	must.Get(b.BookAdmin.Unlist(t.Context(), dean, []book.ID{spam.ID}, "Spam."))(t)
	must.Get(b.BookAdmin.Unlist(t.Context(), dean, []book.ID{notes.ID}, "Not a book."))(t)
	want := map[string]string{"Physics": "Spam.", "Logic": "Not a book."}
	mails := b.mailsOf(t, "ann", message.BookUnlisted)
	for _, m := range mails {
		wantDigest(t, m, 1, 1)
		if name := m.Params[message.ParamBook]; m.Params[message.ParamReason] != want[name] {
			t.Errorf("the reason for %s is %q", name, m.Params[message.ParamReason])
		}
	}
	if len(mails) != 2 {
		t.Fatalf("%d mails at once", len(mails))
	}
	b.Clock.Advance(message.DigestSettles)
	b.mailDigests(t)
	if mails = b.mailsOf(t, "ann", message.BookUnlisted); len(mails) != 3 || mails[2].Params[message.ParamReason] != "" {
		t.Fatalf("mailed %+v", mails)
	}
	wantDigest(t, mails[2], 2, 2)
}

func unlistMany(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	var ids []book.ID
	for i := range 25 {
		ids = append(ids, b.Post(t, ann, Draft(fmt.Sprint("Calculus ", i), "MTH 161", 1000)).ID)
	}
	own := b.Post(t, dean, Draft("Topology", "MTH 440", 1000))
	ids = append(ids, own.ID, b.Post(t, bob, Draft("Physics", "PHY 121", 1000)).ID)
	sold := ids[3]
	b.Buy(t, bob, sold)
	done := must.Get(b.BookAdmin.Unlist(t.Context(), dean, ids, "Spam."))(t)
	for i, d := range done {
		if id := ids[i]; d.Book.ID != id || (d.Err != nil) != (id == sold || id == own.ID) {
			t.Errorf("book %d: %+v", i, d)
		}
	}
	anns, bobs := b.mailsOf(t, "ann", message.BookUnlisted), b.mailsOf(t, "bob", message.BookUnlisted)
	if len(done) != len(ids) || len(anns) != 1 || len(bobs) != 1 || len(b.mailsOf(t, "dean", message.BookUnlisted)) != 0 {
		t.Fatalf("%d results, %d and %d mails", len(done), len(anns), len(bobs))
	}
	wantDigest(t, anns[0], message.DigestItems, 24)
	wantDigest(t, bobs[0], 1, 1)
	if anns[0].Params[message.ParamReason] != "Spam." || bobs[0].Params[message.ParamReason] != "Spam." {
		t.Errorf("mailed %v and %v", anns[0].Params, bobs[0].Params)
	}
	if n := count(b.NotificationsOf(t, ann), notification.BookUnlisted); n != 24 {
		t.Errorf("notified %d times", n)
	}
}

// raceUnlistings unlists overlapping books in different orders, while others report, buy and relist them.
func raceUnlistings(t *testing.T, b *MarketFixture) {
	ann, dean, dora := b.Join(t, "ann", user.Regular), b.Join(t, "dean", user.Admin), b.Join(t, "dora", user.Admin)
	buyers := b.joinMany(t, 4)
	forSale := make([]book.ID, 6)
	for i := range forSale {
		forSale[i] = b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)).ID
	}
	var unlisted atomic.Int64
	must.Together(8, func(i int) {
		random := rand.New(rand.NewPCG(3, uint64(i)))
		for range 10 {
			id, buyer := forSale[random.IntN(len(forSale))], buyers[random.IntN(len(buyers))]
			var err error
			switch random.IntN(6) {
			case 0, 1, 2:
				mixed := slices.Clone(forSale)
				random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
				var done []guarding.Removal
				done, err = b.BookAdmin.Unlist(t.Context(), dean, mixed[:4], "Spam.")
				for _, d := range done {
					if d.Err == nil {
						unlisted.Add(1)
					}
				}
			case 3:
				err = b.BookAdmin.Relist(t.Context(), dora, id)
			case 4:
				_, err = b.Reports.Add(t.Context(), buyer, guarding.ReportDraft{Targets: []report.Target{{Kind: report.Book, ID: int64(id)}}, Reason: report.Wrong, Text: "Not what it says."})
			case 5:
				_, err = b.Checkout.Do(t.Context(), buyer, buying.Basket{Books: forSale[:1], AllowPartial: true})
			}
			if err != nil && !slices.Contains([]fault.Kind{fault.Conflict, fault.NotFound, fault.Limited}, fault.KindOf(err)) {
				t.Errorf("failed with %v", err)
			}
		}
	})
	told := 0
	for _, m := range b.mailsOf(t, "ann", message.BookUnlisted) {
		told += max(1, len(message.SplitItems(m.Params[message.ParamItems])))
	}
	if n := count(b.NotificationsOf(t, ann), notification.BookUnlisted); int64(n) != unlisted.Load() || told != n || n == 0 {
		t.Errorf("%d unlistings are %d notifications and %d books in mails", unlisted.Load(), n, told)
	}
}

func unlistedStored(t *testing.T, b *MarketFixture) {
	now, to := b.Clock.Now().Truncate(time.Microsecond), []user.ID{user.ID(b.IDs.Next())}
	for i := range 2 {
		must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
			all := must.Get(s.LockDigests(ctx, message.BookUnlisted, to))(t)
			at := now.Add(time.Duration(i) * time.Minute)
			all[0].Add(message.Item{Book: int64(i), Source: int64(i)}, at)
			return s.SaveDigests(ctx, all, at)
		}))
	}
	for after, want := range map[time.Duration]int{message.DigestSettles - time.Microsecond: 0, message.DigestSettles: 1} {
		must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
			due, err := s.LockDueDigests(ctx, now.Add(after), 10)
			if len(due) != want || want == 1 && (len(due[0].Items) != 2 || !due[0].Next().Equal(now.Add(message.DigestSettles))) {
				t.Errorf("after %v due are %+v", after, due)
			}
			return err
		}))
	}
}
