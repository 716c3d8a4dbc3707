package mail

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	gomail "github.com/wneessen/go-mail"
)

// write encodes a mail. A message has the same Message-ID in every attempt, so that mail
// programs drop duplicates.
func (s *Sender) write(m mailer.Mail) (*gomail.Msg, error) {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&s.config.From)
	if err := msg.To(string(m.To)); err != nil {
		return nil, fmt.Errorf("recipient: %w", err)
	}
	msg.Subject(m.Subject)
	msg.SetDateWithValue(m.SentAt)
	msg.SetMessageIDWithValue(fmt.Sprintf("octavo.%d@%s", m.ID, s.config.domain()))
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetGenHeader("Content-Language", string(m.Lang))
	if stop := m.Params[message.ParamStop]; stop != "" {
		msg.SetListUnsubscribe(stop)
		if strings.HasPrefix(stop, "https://") {
			msg.SetListUnsubscribePost()
		}
	}
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	embed(msg, m.Picture)
	return msg, nil
}

// embed adds the picture that the HTML shows.
func embed(msg *gomail.Msg, p mailer.Picture) {
	if len(p.JPEG) > 0 {
		name, kind := gomail.WithFileContentID("<"+p.ID+">"), gomail.WithFileContentType("image/jpeg")
		msg.EmbedReadSeeker("book.jpg", bytes.NewReader(p.JPEG), name, kind)
	}
}
