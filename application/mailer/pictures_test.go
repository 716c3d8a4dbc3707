package mailer_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

// about is a message about a book.
func about(id int64, of string) message.Message {
	m := full(message.BookSold, user.EN)
	m.ID, m.Params[message.ParamPicture] = id, of
	return m
}

// send sends messages with the pictures that find finds, and returns the mails.
func send(t *testing.T, templates *mailer.Templates, find mailer.FindPictures, messages ...message.Message) []mailer.Mail {
	t.Helper()
	var out outgoing
	m := mailer.NewMailer(&out, fake.NewClock().Now, templates).WithPictures(find, slog.New(slog.DiscardHandler))
	for _, err := range m.PublishMessages(t.Context(), messages) {
		must.Do(t, err)
	}
	return out.mails
}

func finding(pictures map[book.ID][]byte, err error) mailer.FindPictures {
	return func(context.Context, ...book.ID) (map[book.ID][]byte, error) { return pictures, err }
}

func TestAMailAboutOneBookShowsItsPicture(t *testing.T) {
	var asked [][]book.ID
	find := func(ctx context.Context, books ...book.ID) (map[book.ID][]byte, error) {
		asked = append(asked, books)
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("mails wait for pictures without end")
		}
		return map[book.ID][]byte{7: []byte("seven")}, nil
	}
	mails := send(t, builtIn(t), find, about(1, "9"), about(2, "7"), about(3, "7"), full(message.BookSold, user.EN), full(message.Verification, user.EN))
	if len(asked) != 1 || !slices.Equal(asked[0], []book.ID{7, 9}) {
		t.Errorf("asked for %v", asked)
	}
	plain := write(t, full(message.BookSold, user.EN))
	for i, shows := range []bool{false, true, true, false, false} {
		m := mails[i]
		if has := string(m.Picture.JPEG) == "seven"; has != shows || strings.Contains(m.HTML, "<img") != shows {
			t.Errorf("mail %d has the picture %+v in %s", i, m.Picture, m.HTML)
		}
		if i < 4 && m.Text != plain.Text {
			t.Errorf("the text of mail %d is %s", i, m.Text)
		}
	}
	if mails[1].Picture.ID == mails[2].Picture.ID {
		t.Errorf("two mails name their pictures %s", mails[1].Picture.ID)
	}
	golden(t, "pictured.html", mails[1].HTML)
	if page := mails[1].Page(); !strings.Contains(page, `<img src="data:image/jpeg;base64,c2V2ZW4=" alt=`) || strings.Contains(page, "cid:") {
		t.Errorf("the page is %s", page)
	}
}

func TestAMailGoesWithoutAPictureThatCannotBeHad(t *testing.T) {
	plain := write(t, full(message.BookSold, user.EN))
	for name, find := range map[string]mailer.FindPictures{
		"no store":       nil,
		"a broken store": finding(nil, errors.New("the bucket is away")),
		"no picture":     finding(nil, nil),
		"an empty one":   finding(map[book.ID][]byte{7: {}}, nil),
		"a large one":    finding(map[book.ID][]byte{7: make([]byte, 25<<10+1)}, nil),
	} {
		if m := send(t, builtIn(t), find, about(1, "7"))[0]; m.HTML != plain.HTML || m.Text != plain.Text || m.Picture.JPEG != nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
	some := finding(map[book.ID][]byte{7: make([]byte, 25<<10)}, errors.New("the other is lost"))
	if mails := send(t, builtIn(t), some, about(1, "7"), about(2, "8")); mails[0].Picture.JPEG == nil || mails[1].Picture.JPEG != nil {
		t.Errorf("of two, one lost: %v", mails)
	}
}

func TestALayoutWithoutPicturesHasNoneAttached(t *testing.T) {
	with := func(layout string) mailer.Mail {
		t.Helper()
		files := map[string]string{"layout.html.tmpl": layout + `{{range .Parts}}{{.Text}}{{.Code}}<a href="{{.Link}}">{{.Label}}</a>{{end}}`}
		templates := must.Get(mailer.NewTemplates(mailer.Identity{Name: "Folio"}, files))(t)
		return send(t, templates, finding(map[book.ID][]byte{7: []byte("seven")}, nil), about(1, "7"))[0]
	}
	if m := with("<b>{{.Subject}}</b>"); m.Picture.JPEG != nil {
		t.Errorf("a picture that nothing shows: %+v", m.Picture)
	}
	if m := with("{{with .Picture}}<img src='{{.Source}}' alt=''>{{end}}"); m.Picture.JPEG == nil || !strings.Contains(m.HTML, "'cid:"+m.Picture.ID+"'") {
		t.Errorf("a layout that shows it: %+v", m)
	}
	bad := map[string]string{"layout.html.tmpl": mailer.TemplateFiles()["layout.html.tmpl"] + "{{with .Picture}}{{.Width}}{{end}}"}
	must.Refuse(t, must.Err(mailer.NewTemplates(mailer.Identity{}, bad)), mailer.ErrTemplate, "a field that pictures do not have")
}
