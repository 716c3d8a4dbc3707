package contract

import (
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/courier"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// Optouts is what courier.Optouts promises. open gives an empty one.
func Optouts(t *testing.T, open func(t *testing.T) courier.Optouts) {
	t.Run("who declined is known, twice is fine, nobody else is touched", func(t *testing.T) {
		o := open(t)
		for range 2 {
			if err := o.Decline(t.Context(), "a@x.edu", monday); err != nil {
				t.Fatal(err)
			}
		}
		many := []user.Email{"a@x.edu", "b@x.edu", "a@x.edu"}
		for i := range 100 {
			many = append(many, user.Email(fmt.Sprintf("%d@x.edu", i)))
		}
		got, err := o.Declined(t.Context(), many)
		if err != nil || !got["a@x.edu"] || got["b@x.edu"] || got["7@x.edu"] {
			t.Errorf("declined: %v, %v", got, err)
		}
		if got, err = o.Declined(t.Context(), nil); err != nil || len(got) != 0 {
			t.Errorf("of nobody: %v, %v", got, err)
		}
	})
}

// Mailbox is what courier.Mailbox promises. open gives an empty one.
func Mailbox(t *testing.T, open func(t *testing.T) courier.Mailbox) {
	t.Run("mails come back whole, newest first, each once", func(t *testing.T) {
		box := open(t)
		for range 2 {
			for _, err := range box.Send(t.Context(), []courier.Mail{mail(1, "a@x.edu"), mail(2, "b@x.edu"), mail(3, "a@x.edu")}) {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		toOne := mails(t, box, "a@x.edu", 10)
		if len(toOne) != 2 || fmt.Sprint(toOne[0]) != fmt.Sprint(mail(3, "a@x.edu")) || toOne[1].ID != 1 {
			t.Errorf("to one: %v", toOne)
		}
		if all := mails(t, box, "", 2); len(all) != 2 || all[0].ID != 3 || all[1].ID != 2 {
			t.Errorf("the last two of all: %v", all)
		}
		if none := mails(t, box, "c@x.edu", 10); len(none) != 0 {
			t.Errorf("to a stranger: %v", none)
		}
	})
}

func mail(id int64, to user.Email) courier.Mail {
	return courier.Mail{
		Message: message.Message{ID: id, Kind: message.Verification, To: to, Lang: user.FR, Code: "12345678", Link: "https://octavo.example/?a=1&b"},
		Subject: "Sujet «é»", Text: "Bonjour,\n", HTML: "<p>Bonjour</p>", SentAt: monday.Add(time.Duration(id) * time.Second),
	}
}

func mails(t *testing.T, box courier.Mailbox, to user.Email, n int) []courier.Mail {
	t.Helper()
	got, err := box.Mails(t.Context(), to, n)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
