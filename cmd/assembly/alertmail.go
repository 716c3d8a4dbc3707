package assembly

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/mail"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"go.uber.org/fx"
)

// alertMailer mails the alerts of the inbox. It has its own sender, because webhooks may be
// served without the components that send mail, or with ones that send through a queue.
type alertMailer struct {
	sender  *mail.Sender
	to      user.Email
	service string
}

// newAlertMailer returns nil without ALERT_MAIL.
func newAlertMailer(lc fx.Lifecycle, s *config.Settings) (inbox.AlertMailer, error) {
	if s.Webhooks.AlertMail == "" {
		return nil, nil //nolint:nilnil // without a mailer, alerts are not mailed
	}
	sender, err := newSMTP(lc, s)
	if err != nil {
		return nil, err
	}
	return &alertMailer{sender, user.Email(s.Webhooks.AlertMail), s.Server.ServiceName}, nil
}

// MailAlert implements inbox.AlertMailer.
func (a *alertMailer) MailAlert(ctx context.Context, id int64, subject, text string, at time.Time) error {
	return a.sender.SendMails(ctx, []mailer.Mail{{
		Message: message.Message{ID: id, To: a.to, Lang: user.EN}, Subject: "[" + a.service + "] " + subject, Text: text + "\n", SentAt: at,
	}})[0]
}
