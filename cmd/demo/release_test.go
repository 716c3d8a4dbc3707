package demo_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/deep"
)

// earlierOrder has the fields that orders had in earlier releases.
type earlierOrder struct {
	ID                                              order.ID
	Book                                            book.ID
	Name, University                                string
	Buyer, Seller                                   user.ID
	Price, Fee                                      money.Amount
	Status                                          order.Status
	Reason                                          string
	CreatedAt, VerifiedAt, DeliveredAt, CancelledAt time.Time
	VerifiedBy, DeliveredBy, CancelledBy            user.ID
}

// noAuthors stands for a field that books and requests did not have in earlier releases.
const noAuthors = "(no authors)"

// sums are digests of all kinds of rows.
func sums(m *memory) map[string]string {
	sum := func(rows []any) string {
		text := strings.ReplaceAll(fmt.Sprintln(rows...), " "+noAuthors, "")
		return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16]
	}
	var users, orders, notifications []any
	books, requests := slices.Clone(m.Books), slices.Clone(m.Requests)
	for i := range books {
		books[i].Authors = noAuthors
	}
	for i := range requests {
		requests[i].Authors = noAuthors
	}
	for _, u := range m.Users {
		users = append(users, u.ID, u.Email, u.CreatedAt, *u.Profile)
	}
	for _, o := range m.Orders {
		orders = append(orders, earlierOrder{
			o.ID, o.Book, o.Name, o.University, o.Buyer, o.Seller, o.Price, o.Fee, o.Status, o.Reason,
			o.CreatedAt, o.VerifiedAt, o.DeliveredAt, o.CancelledAt, o.VerifiedBy, o.DeliveredBy, o.CancelledBy,
		}, o.Entries)
	}
	earlier := slices.DeleteFunc(slices.Clone(m.Notifications), func(n notification.Notification) bool { return n.Kind == notification.ProblemReported })
	for i, n := range earlier {
		earlier[i].Message = strings.Replace(n.Message, ". The page of the purchase says what to do next.", ". You pay once its condition is verified.", 1)
	}
	notifications = append(notifications, earlier)
	return map[string]string{
		"users": sum(users), "books": sum([]any{books}), "requests": sum([]any{requests}), "matches": sum([]any{m.Matches}), "orders": sum(orders), "notifications": sum(notifications),
	}
}

func TestASeedMakesTheCampusOfEarlierReleases(t *testing.T) {
	deep.NotShort(t, "makes large campuses")
	for size, want := range map[[2]int]map[string]string{
		{1500, 60}: {
			"books": "3297959faaa5c586", "matches": "c2f342ad99bb90d4", "notifications": "1482af0a561c11dd", "orders": "136e8ba2cc845a96", "requests": "47fda12e1dc8fac5", "users": "17f2f5d950a24c8b",
		},
		{60_000, 900}: { // with so many works that course numbers have four digits
			"books": "6f1243d76bc62bd4", "matches": "5b394439fc49abef", "notifications": "b998195c88846d1a", "orders": "55aa8a290f8b4bb1", "requests": "5db0dddf7956b3fe", "users": "11bfb96b72f128dc",
		},
	} {
		if got := sums(fill(t, config(size[0], size[1]))); !maps.Equal(got, want) {
			t.Errorf("%d books, %d users: %q, want %q", size[0], size[1], got, want)
		}
	}
}
