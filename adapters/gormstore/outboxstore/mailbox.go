package outboxstore

import (
	"context"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// keepMails is how long the development mailbox stores a mail.
const keepMails = 7 * 24 * time.Hour

// Mailbox is the development mailbox. It stores codes and links in plain text, so it must
// not exist in production.
type Mailbox struct{ db *gormstore.DB }

// NewMailbox returns the mailbox in db.
func NewMailbox(db *gormstore.DB) *Mailbox { return &Mailbox{db} }

// mailRow is a mail in the mailbox.
type mailRow struct {
	ID            int64 `gorm:"primaryKey;autoIncrement:false"`
	Email         user.Email
	Kind          message.Kind
	Lang          user.Lang
	Subject, Text string
	HTML          string `gorm:"column:html"`
	Code, Link    string
	SentAt        time.Time `gorm:"serializer:micros"`
}

// TableName implements GORM's schema.Tabler.
func (mailRow) TableName() string { return "mailbox" }

func (r *mailRow) mail() mailer.Mail {
	return mailer.Mail{
		Message: message.Message{ID: r.ID, Kind: r.Kind, To: r.Email, Lang: r.Lang, Code: r.Code, Link: r.Link},
		Subject: r.Subject, Text: r.Text, HTML: r.HTML, SentAt: r.SentAt,
	}
}

// SendMails stores mails with their pictures, each once, and deletes mails older than a week.
func (b *Mailbox) SendMails(ctx context.Context, mails []mailer.Mail) []error {
	rows := make([]mailRow, len(mails))
	var latest time.Time
	for i, m := range mails {
		rows[i] = mailRow{
			ID: m.ID, Email: m.To, Kind: m.Kind, Lang: m.Lang, Subject: m.Subject,
			Text: m.Text, HTML: m.Page(), Code: m.Code, Link: m.Link, SentAt: m.SentAt,
		}
		latest = m.SentAt
	}
	err := b.db.Atomically(ctx, func(tx *gorm.DB) error {
		ctx := tx.Statement.Context
		add := table.Of[mailRow](tx, clause.OnConflict{DoNothing: true})
		if err := add.CreateInBatches(ctx, &rows, rawsql.RowsPerStatement); err != nil {
			return err
		}
		_, err := table.Of[mailRow](tx).Where("sent_at < ?", rawsql.Micros(latest.Add(-keepMails))).Delete(ctx)
		return err
	})
	errs := make([]error, len(mails))
	if err != nil {
		for i := range errs {
			errs[i] = fmt.Errorf("%w: mailbox: %w", mailer.ErrUnreachable, err)
		}
	}
	return errs
}

// ListMails returns mails to one person, or to everyone, newest first.
func (b *Mailbox) ListMails(ctx context.Context, to user.Email, n int) ([]mailer.Mail, error) {
	query := table.Of[mailRow](b.db.Read).Order("id DESC").Limit(n)
	if to != "" {
		query = query.Where("email = ?", to)
	}
	rows, err := query.Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the mailbox: %w", err)
	}
	return rawsql.Convert(rows, (*mailRow).mail), nil
}

// FindMail returns a mail.
func (b *Mailbox) FindMail(ctx context.Context, id int64) (mailer.Mail, bool, error) {
	rows, err := table.Of[mailRow](b.db.Read).Where("id = ?", id).Find(ctx)
	if err != nil {
		return mailer.Mail{}, false, fmt.Errorf("read a mail: %w", err)
	}
	if len(rows) == 0 {
		return mailer.Mail{}, false, nil
	}
	return rows[0].mail(), true, nil
}
