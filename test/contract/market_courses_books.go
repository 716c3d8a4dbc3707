package contract

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func requestedCourses(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	d := Draft("Introduction to Algorithms", "XYZ 1", 4000)
	d.ISBN = "9780262033848"
	b.Post(t, ann, d)
	b.upload(t, fall, "CSC 172,,Introduction to Algorithms,9780262033848,3", "CSC 173,,Introduction to Algorithms,9780262033848,3", "CSC 173,,Exercises,,")
	all := b.courses(t, bob, finding.Term{}, "")
	b.choose(t, bob, all...)
	mine := must.Get(b.Courses.Mine(t.Context(), bob, finding.Term{}))(t)
	if s := mine.ForSale["9780262033848"]; len(mine.ForSale) != 1 || s.Copies.N != 1 || s.Lowest != 4000 {
		t.Errorf("for sale are %+v, want one copy for 40.00", mine.ForSale)
	}
	out := must.Get(b.Courses.RequestBooks(t.Context(), bob, courseIDs(all)))(t)
	if len(out.Made) != 2 || out.Made[0].ISBN != "9780262033848" || out.Made[0].Course != "CSC 172" || out.Made[0].Edition != 3 || out.Made[1].Name != "Exercises" || out.Matches != 1 || len(out.Skipped) != 0 {
		t.Errorf("made %+v", out)
	}
	if got := b.NotificationsOf(t, bob); len(got) != 1 || got[0] != notification.MatchFound {
		t.Errorf("notified of %v, want the match alone", got)
	}
	again := must.Get(b.Courses.RequestBooks(t.Context(), bob, courseIDs(all)))(t)
	if len(again.Made) != 0 || len(again.Skipped) != 3 || again.Skipped[0].Why != finding.SkipRequested || again.Skipped[0].Code != "CSC 172" {
		t.Errorf("again: %+v, want all skipped", again)
	}
	b.Post(t, ann, Draft("Exercises", "CSC 173", 500))
	if got := b.countNotified(t, bob, notification.MatchFound); got != 2 {
		t.Errorf("%d matches after a post, want 2", got)
	}
	for _, ids := range [][]course.ID{nil, make([]course.ID, 0)} {
		refused(t, must.Err(b.Courses.RequestBooks(t.Context(), bob, ids)), course.ErrInvalid)
	}
	refused(t, must.Err(b.Courses.RequestBooks(t.Context(), bob, []course.ID{all[0].ID, 7})), course.ErrNotFound)
}

func ownedBooks(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.Buy(t, bob, v.ID)
	b.Post(t, bob, Draft("Topology", "MTH 440", 1000))
	gone := b.Post(t, bob, Draft("Physics", "PHY 1", 1000))
	must.Get(b.Listings.Unlist(t.Context(), bob, gone.ID))(t)
	b.Request(t, bob, book.RequestDraft{Name: "algebra", Course: "mth-165"})
	b.upload(t, fall, "MTH 161,,Calculus,9780262033848,", "MTH 440,,Topology,,", "MTH 165,,Algebra,9780306406157,", "PHY 1,,Physics,,")
	out := must.Get(b.Courses.RequestBooks(t.Context(), bob, courseIDs(b.courses(t, bob, finding.Term{}, ""))))(t)
	why := map[string]finding.SkipReason{}
	for _, s := range out.Skipped {
		why[s.Name] = s.Why
	}
	if len(out.Made) != 1 || out.Made[0].Name != "Physics" || len(why) != 3 || why["Calculus"] != finding.SkipBought || why["Topology"] != finding.SkipSelling || why["Algebra"] != finding.SkipRequested {
		t.Errorf("made %+v", out)
	}
}

// uploadMany uploads courses with three books each.
func (b *MarketFixture) uploadMany(t *testing.T, n int) []course.ID {
	t.Helper()
	var lines []string
	for i := range n {
		for j := range 3 {
			lines = append(lines, fmt.Sprintf("CSC %d,,Volume %d of Course %d,,", 100+i, j, i))
		}
	}
	b.upload(t, fall, lines...)
	return courseIDs(b.courses(t, b.Join(t, "reader", user.Regular), finding.Term{}, ""))
}

func manyCourseBooks(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	ids := b.uploadMany(t, 20)
	out := must.Get(b.Courses.RequestBooks(t.Context(), ann, ids))(t)
	if len(out.Made) != 60 || len(out.Skipped) != 0 {
		t.Errorf("made %d requests, skipped %+v", len(out.Made), out.Skipped)
	}
	if all, err := b.Ports.ListRequestsOf(t.Context(), ann.ID, 0, 100); err != nil || len(all) != 60 {
		t.Errorf("%d requests are stored, want 60: %v", len(all), err)
	}
}

func fullCourseRequests(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	ids := b.uploadMany(t, 2)
	for i := range book.MaxOpenRequests - 4 {
		b.Request(t, ann, book.RequestDraft{Name: fmt.Sprint("Old ", i), Course: "OLD 1"})
	}
	out := must.Get(b.Courses.RequestBooks(t.Context(), ann, ids))(t)
	if len(out.Made) != 4 || len(out.Skipped) != 2 || out.Skipped[0].Why != finding.SkipLimit {
		t.Errorf("made %d, skipped %+v", len(out.Made), out.Skipped)
	}
}

func usedBooks(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	bought, pending := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, ann, Draft("Geometry", "MTH 162", 1000))
	b.Buy(t, bob, bought.ID, pending.ID)
	must.Get(b.Orders.Confirm(t.Context(), dean, bought.ID))(t)
	must.Get(b.Orders.SetPaid(t.Context(), dean, bought.ID))(t)
	b.upload(t, fall, "MTH 161,,Calculus,,", "CSC 172,,Algorithms,9780262033848,3", "CSC 172,,Exercises,,")
	b.choose(t, bob, b.courses(t, bob, finding.Term{}, "")...)
	used := func() string {
		t.Helper()
		all := must.Get(b.Courses.Used(t.Context(), bob))(t)
		var names []string
		for _, u := range all {
			names = append(names, u.Name+" "+u.Term)
		}
		return strings.Join(names, ", ")
	}
	if got := used(); got != "Calculus " {
		t.Errorf("in the same term: %q, want the purchase alone", got)
	}
	b.upload(t, course.List{University: "Yale", Term: "2027-spring"}, "ART 1,,,,")
	if got := used(); got != "Calculus " {
		t.Errorf("in another university's next term: %q", got)
	}
	b.upload(t, course.List{University: fall.University, Term: "2027-spring"}, "ART 1,,,,")
	if got := used(); got != "Calculus , Algorithms 2026-fall, Exercises 2026-fall" {
		t.Errorf("in the next term: %q", got)
	}
	d := Draft("Any words", "X 1", 1000)
	d.ISBN = "0262033844"
	b.Post(t, bob, d)
	if got := used(); got != "Calculus , Exercises 2026-fall" {
		t.Errorf("after a post: %q", got)
	}
}

func postedTogether(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.Request(t, bob, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	bad, good := Draft("Topology", "MTH 440", 0), Draft("Calculus", "MTH 161", 1000)
	_, _, err := b.Listings.PostAll(t.Context(), ann, market.IdempotencyKey{}, []book.Draft{good, bad})
	refused(t, err, book.ErrInvalid)
	if f := fault.As(err); len(f.Fields) != 1 || f.Fields["books[1].price"] == "" {
		t.Errorf("the fields are %v, want books[1].price", f.Fields)
	}
	for _, none := range [][]book.Draft{nil, make([]book.Draft, selling.MaxPosts+1)} {
		refused(t, must.Err(b.Listings.PostAll(t.Context(), ann, market.IdempotencyKey{}, none)), book.ErrInvalid)
	}
	key := market.IdempotencyKey{Value: "k"}
	first, replayed := must.Get2(b.Listings.PostAll(t.Context(), ann, key, []book.Draft{good, good}))(t)
	again, repeated := must.Get2(b.Listings.PostAll(t.Context(), ann, key, []book.Draft{good, good}))(t)
	if replayed || !repeated || len(first) != 2 || len(again) != 2 || first[1].ID != again[1].ID {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if got := b.countNotified(t, bob, notification.MatchFound); got != 2 {
		t.Errorf("%d matches, want 2", got)
	}
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		return s.ChangeUse(ctx, ann.ID, "import_lines", func(used limit.Use) (limit.Use, error) {
			used.Count += selling.MaxImportLines - selling.MaxPosts
			return used, nil
		})
	}))
	refused(t, must.Err(b.Listings.PostAll(t.Context(), ann, market.IdempotencyKey{}, func() []book.Draft {
		all := make([]book.Draft, selling.MaxPosts)
		for i := range all {
			all[i] = good
		}
		return all
	}())), selling.ErrImportLimit)
}

func raceCourseBooks(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	ids := b.uploadMany(t, 12)
	made := make([]int, 6)
	must.Together(len(made), func(i int) {
		out, err := b.Courses.RequestBooks(t.Context(), ann, ids)
		if err != nil {
			t.Errorf("call %d: %v", i, err)
		}
		made[i] = len(out.Made)
	})
	sum := 0
	for _, n := range made {
		sum += n
	}
	all, err := b.Ports.ListRequestsOf(t.Context(), ann.ID, 0, 100)
	if must.Do(t, err); sum != 36 || len(all) != 36 {
		t.Errorf("%v requests were made and %d are stored, want 36", made, len(all))
	}
}
