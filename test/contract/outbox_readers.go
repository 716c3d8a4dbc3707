package contract

import (
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// OptOuts checks the promises of mailer.OptOutStore. open returns an empty one.
func OptOuts(t *testing.T, open func(t *testing.T) mailer.OptOutStore) {
	t.Run("an address opts out, also twice, and no other address does", func(t *testing.T) {
		o := open(t)
		for range 2 {
			must.Do(t, o.AddOptOut(t.Context(), "a@x.edu", monday))
		}
		many := []user.Email{"a@x.edu", "b@x.edu", "a@x.edu"}
		for i := range 100 {
			many = append(many, user.Email(fmt.Sprintf("%d@x.edu", i)))
		}
		got, err := o.FindOptOuts(t.Context(), many)
		if err != nil || !got["a@x.edu"] || got["b@x.edu"] || got["7@x.edu"] {
			t.Errorf("opted out: %v, %v", got, err)
		}
		if got, err = o.FindOptOuts(t.Context(), nil); err != nil || len(got) != 0 {
			t.Errorf("the opt-outs of no addresses are %v, %v", got, err)
		}
	})
}

// Mailbox checks the promises of mailer.Mailbox. open returns an empty one.
func Mailbox(t *testing.T, open func(t *testing.T) mailer.Mailbox) {
	t.Run("mails come back whole, newest first, each once", func(t *testing.T) {
		box := open(t)
		for range 2 {
			for _, err := range box.SendMails(t.Context(), []mailer.Mail{mail(1, "a@x.edu"), mail(2, "b@x.edu"), mail(3, "a@x.edu")}) {
				must.Do(t, err)
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
		if one, stored, err := box.FindMail(t.Context(), 2); err != nil || !stored || fmt.Sprint(one) != fmt.Sprint(mail(2, "b@x.edu")) {
			t.Errorf("one mail: %v, %v, %v", one, stored, err)
		}
		if none, stored, err := box.FindMail(t.Context(), 4); err != nil || stored {
			t.Errorf("an unknown mail: %v, %v, %v", none, stored, err)
		}
	})
}

func mail(id int64, to user.Email) mailer.Mail {
	return mailer.Mail{
		Message: message.Message{ID: id, Kind: message.Verification, To: to, Lang: user.FR, Code: "12345678", Link: "https://octavo.example/?a=1&b"},
		Subject: "Sujet «é»", Text: "Bonjour,\n", HTML: "<p>Bonjour</p>", SentAt: monday.Add(time.Duration(id) * time.Second),
	}
}

func mails(t *testing.T, box mailer.Mailbox, to user.Email, n int) []mailer.Mail {
	t.Helper()
	return must.Get(box.ListMails(t.Context(), to, n))(t)
}
