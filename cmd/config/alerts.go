package config

import (
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/mail"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/user"
)

// Alerts mail the alerts of the inbox.
type Alerts struct {
	Mail  inbox.MailAlert // nil without ALERT_MAIL
	Close func()
}

// NewAlerts returns what mails alerts. It has its own sender, because webhooks may be served without the components
// that send mail, or with ones that send through a queue. Development stores alerts in its mailbox, as it does all
// mails; box is nil where there is none.
func (s *Settings) NewAlerts(box *outboxstore.Mailbox) (Alerts, error) {
	boxed := box != nil && s.DevMailbox()
	mails := func(sender mailer.Sender) inbox.MailAlert {
		return mail.Alerts(sender, user.Email(s.Webhooks.AlertMail), s.Server.ServiceName)
	}
	switch {
	case s.Webhooks.AlertMail == "":
		return Alerts{Close: func() {}}, nil
	case boxed && s.Mail.SMTPURL == "":
		return Alerts{mails(box), func() {}}, nil
	}
	smtp, err := s.NewSMTP()
	if err != nil || !boxed {
		return Alerts{mails(smtp), smtp.Close}, err
	}
	return Alerts{mails(mailer.ChainSenders(box, smtp)), smtp.Close}, nil
}
