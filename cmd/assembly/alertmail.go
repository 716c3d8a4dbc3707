package assembly

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"go.uber.org/fx"
)

// alertKind is the kind of alerts in the development mailbox.
const alertKind message.Kind = "alert"

// alertMailer mails the alerts of the inbox. It has its own sender, because webhooks may be
// served without the components that send mail, or with ones that send through a queue.
type alertMailer struct {
	sender  mailer.Sender
	to      user.Email
	service string
}

// newAlertMailer returns nil without ALERT_MAIL. Development stores alerts in its mailbox, as it
// does all mails; box is nil where there is none.
func newAlertMailer(lc fx.Lifecycle, s *config.Settings, box *outboxstore.Mailbox) (inbox.MailAlert, error) {
	if s.Webhooks.AlertMail == "" {
		return nil, nil //nolint:nilnil // without a mailer, alerts are not mailed
	}
	sender, err := alertSender(lc, s, box)
	if err != nil {
		return nil, err
	}
	return alertMailer{sender, user.Email(s.Webhooks.AlertMail), s.Server.ServiceName}.mailAlert, nil
}

func alertSender(lc fx.Lifecycle, s *config.Settings, box *outboxstore.Mailbox) (mailer.Sender, error) {
	boxed := box != nil && s.DevMailbox()
	if boxed && s.Mail.SMTPURL == "" {
		return box, nil
	}
	smtp, err := newSMTP(lc, s)
	if err != nil || !boxed {
		return smtp, err
	}
	return mailer.ChainSenders(box, smtp), nil
}

// mailAlert is inbox.MailAlert.
func (a alertMailer) mailAlert(ctx context.Context, id int64, subject, text string, at time.Time) error {
	return a.sender.SendMails(ctx, []mailer.Mail{{
		Message: message.Message{ID: id, Kind: alertKind, To: a.to, Lang: user.EN}, Subject: "[" + a.service + "] " + subject, Text: text + "\n", SentAt: at,
	}})[0]
}
