package mailer

import (
	"context"
	"encoding/base64"
	"fmt"
	htmltemplate "html/template"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/message"
)

// The bounds of pictures. A mail whose picture is beyond them goes without it.
const (
	maxPicture  = 25 << 10        // bytes
	pictureTime = 2 * time.Second // for all that are sent together
)

// FindPictures finds the small pictures of books, as JPEG: none of a book that has none which may be
// shown at present. With an error it may have found some.
type FindPictures func(ctx context.Context, books ...book.ID) (map[book.ID][]byte, error)

// Picture is what the HTML of a mail shows as "cid:" and its ID. It is sent with the mail: a picture
// that is loaded would tell who reads the mail, and when.
type Picture struct {
	ID   string
	JPEG []byte
}

// shown is a picture in a layout.
type shown struct {
	Source htmltemplate.URL
	Title  string // of its book
}

// WithPictures lets the mails about one book show its picture. A mail does not wait for a picture that
// cannot be found.
func (m *Mailer) WithPictures(find FindPictures, log *slog.Logger) *Mailer {
	m.pictures, m.log = find, log
	return m
}

// findPictures finds the pictures of the books that messages are about, each once.
func (m *Mailer) findPictures(ctx context.Context, messages []message.Message) map[book.ID][]byte {
	if m.pictures == nil {
		return nil
	}
	wanted := map[book.ID]bool{}
	for _, msg := range messages {
		if of, ok := pictured(msg); ok {
			wanted[of] = true
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, pictureTime)
	defer cancel()
	found, err := m.pictures(ctx, slices.Sorted(maps.Keys(wanted))...)
	if err != nil {
		m.log.Warn("mails go without the pictures of books", "error", err)
	}
	maps.DeleteFunc(found, func(_ book.ID, jpeg []byte) bool { return len(jpeg) > maxPicture })
	return found
}

// pictured returns the book whose picture a mail shows.
func pictured(m message.Message) (book.ID, bool) {
	n, ok := id.Parse(m.Params[message.ParamPicture])
	return book.ID(n), ok
}

// show lets a mail show a picture, unless there is none.
func (c *content) show(p Picture, of message.Message) {
	if len(p.JPEG) > 0 {
		d := newTemplateData(of, c.Lang)
		c.Picture = &shown{htmltemplate.URL(p.source()), d.Book()} //nolint:gosec // of a number
	}
}

func newPicture(m message.Message, jpeg []byte) Picture {
	return Picture{ID: fmt.Sprintf("picture.%d@octavo", m.ID), JPEG: jpeg}
}

// in returns the picture, or none if the layout of an operator does not show it: mail programs list
// what no text shows as an attachment.
func (p Picture) in(html string) Picture {
	if len(p.JPEG) == 0 || !strings.Contains(html, p.source()) {
		return Picture{}
	}
	return p
}

// source is where the HTML finds the picture.
func (p Picture) source() string { return "cid:" + p.ID }

// Page returns the HTML with the picture in it, for those who have no other part of the mail.
func (m Mail) Page() string {
	if len(m.Picture.JPEG) == 0 {
		return m.HTML
	}
	data := "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(m.Picture.JPEG)
	return strings.Replace(m.HTML, m.Picture.source(), data, 1)
}
