package mail

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// alertKind is the kind of alerts in the development mailbox.
const alertKind message.Kind = "alert"

// Alerts mails alerts of the inbox to an address. The service is named in subjects.
func Alerts(sender mailer.Sender, to user.Email, service string) inbox.MailAlert {
	return func(ctx context.Context, id int64, subject, text string, at time.Time) error {
		return sender.SendMails(ctx, []mailer.Mail{{
			Message: message.Message{ID: id, Kind: alertKind, To: to, Lang: user.EN}, Subject: "[" + service + "] " + subject,
			Text: text + "\n", SentAt: at,
		}})[0]
	}
}
