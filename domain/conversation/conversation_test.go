package conversation_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/user"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, time.September, 7, 12, 0, 0, 0, time.UTC)

const ann, bob, eve = user.ID(1), user.ID(2), user.ID(3)

func TestWhoMayWriteAboutABookDependsOnItsStatus(t *testing.T) {
	forSale := book.Book{ID: 7, Seller: ann, Status: book.ForSale}
	sold := book.Book{ID: 7, Seller: ann, Buyer: bob, Status: book.Verified}
	unlisted := book.Book{ID: 7, Seller: ann, Status: book.Unlisted}
	for _, c := range []struct {
		b     book.Book
		by    user.Caller
		buyer user.ID
		err   error
	}{
		{forSale, user.Caller{ID: bob}, bob, nil},
		{forSale, user.Caller{ID: ann}, 0, conversation.ErrOwnBook},
		{sold, user.Caller{ID: bob}, bob, nil},
		{sold, user.Caller{ID: ann}, bob, nil},
		{sold, user.Caller{ID: eve}, 0, book.ErrNotFound},
		{sold, user.Caller{ID: eve, Role: user.Admin}, 0, book.ErrNotAvailable},
		{unlisted, user.Caller{ID: bob}, 0, book.ErrNotFound},
		{unlisted, user.Caller{ID: ann}, 0, conversation.ErrOwnBook},
	} {
		if buyer, err := conversation.BuyerOf(c.b, c.by); buyer != c.buyer || !errors.Is(err, c.err) {
			t.Errorf("status %d, caller %d: %d, %v", c.b.Status, c.by.ID, buyer, err)
		}
	}
}

func TestMessagesAreNumberedAndCountedAsUnreadOfTheOtherSide(t *testing.T) {
	c := conversation.Start(5, book.Book{ID: 7, Seller: ann}, bob, noon)
	for i, from := range []user.ID{bob, bob, ann} {
		m := c.Send(conversation.MessageID(100+i), from, "Hello", noon.Add(time.Duration(i)))
		if m.N != i+1 || m.From != from || m.Conversation != 5 || c.Last != m.ID || c.LastAt != m.CreatedAt {
			t.Errorf("%+v in %+v", m, c)
		}
		if c.BothWrote() != (i == 2) {
			t.Errorf("after %d messages both wrote: %v", i+1, c.BothWrote())
		}
	}
	if c.Of(ann).Unread != 2 || c.Of(bob).Unread != 1 || c.With(ann) != bob || c.With(bob) != ann || c.Involves(eve) || c.Involves(0) {
		t.Errorf("%+v", c)
	}
}

func TestAMailIsDueOnceAnHour(t *testing.T) {
	c := conversation.Start(5, book.Book{ID: 7, Seller: ann}, bob, noon)
	for _, step := range []struct {
		after time.Duration
		due   bool
	}{{0, true}, {time.Minute, false}, {time.Hour - 1, false}, {time.Hour, true}, {time.Hour + time.Minute, false}} {
		if c.MailDue(ann, noon.Add(step.after)) != step.due {
			t.Errorf("after %s a mail is due: %v", step.after, !step.due)
		}
	}
	if !c.MailDue(bob, noon.Add(time.Hour)) {
		t.Error("a mail to one side counts for the other")
	}
}

func TestATextIsNormalized(t *testing.T) {
	for in, want := range map[string]string{
		" At noon?\r\n\r\nIn the library. \n": "At noon?\n\nIn the library.",
		"Zoe\u0308\tLee":                      "Zo\u00eb Lee",
		"\u202eabc":                           "abc",
		"<script>alert(1)</script>":           "<script>alert(1)</script>",
		strings.Repeat("e\u0301", 2000):       strings.Repeat("\u00e9", 2000),
		strings.Repeat("\r\na", 1000):         strings.TrimSpace(strings.Repeat("\na", 1000)),
	} {
		if got, err := conversation.CleanText(in); err != nil || got != want {
			t.Errorf("%.40q: %.40q, %v", in, got, err)
		}
	}
	for _, in := range []string{"", " \n ", "\u200b\u2060", "a\x00b", "a\x1b[2J", "a\xff", strings.Repeat("x", 2001), strings.Repeat("x", 1<<20)} {
		if got, err := conversation.CleanText(in); !errors.Is(err, conversation.ErrText) {
			t.Errorf("%.40q: %.40q, %v", in, got, err)
		}
	}
}

func TestCleaningATextIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once, err := conversation.CleanText(rapid.String().Draw(t, "text"))
		if err != nil {
			return
		}
		if twice, err := conversation.CleanText(once); err != nil || twice != once {
			t.Fatalf("%q becomes %q, %v", once, twice, err)
		}
	})
}
