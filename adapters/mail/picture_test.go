package mail_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/test/must"
)

func TestAPictureArrivesInsideTheMailThatShowsIt(t *testing.T) {
	server := &sink{}
	s := open(t, "smtp://"+serve(t, server, nil))
	jpeg := bytes.Repeat([]byte{0xff, 0xd8, '\n', '.', '\r'}, 5000)
	m := letter(42, "ann@rochester.edu")
	m.HTML, m.Picture = `<img src="cid:picture.42@octavo" alt="Été">`, mailer.Picture{ID: "picture.42@octavo", JPEG: jpeg}
	must.Do(t, s.SendMails(t.Context(), []mailer.Mail{m})[0])
	got := must.Get(netmail.ReadMessage(strings.NewReader(server.mails[0])))(t)
	kind, params := must.Get2(mime.ParseMediaType(got.Header.Get("Content-Type")))(t)
	if kind != "multipart/related" {
		t.Fatalf("the mail is %s", kind)
	}
	parts := multipart.NewReader(got.Body, params["boundary"])
	words := must.Get(parts.NextPart())(t)
	if texts := read(t, &netmail.Message{Header: netmail.Header(words.Header), Body: words}); texts["text/plain"] == "" || !strings.Contains(texts["text/html"], "cid:picture.42@octavo") {
		t.Errorf("the texts are %q", texts)
	}
	picture := must.Get(parts.NextPart())(t)
	if h := picture.Header; h.Get("Content-Id") != "<picture.42@octavo>" || !strings.HasPrefix(h.Get("Content-Type"), "image/jpeg") || !strings.HasPrefix(h.Get("Content-Disposition"), "inline") {
		t.Errorf("the picture has the header %v", h)
	}
	if data, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, picture)); err != nil || !bytes.Equal(data, jpeg) {
		t.Errorf("the picture has %d bytes, %v; want %d", len(data), err, len(jpeg))
	}
	if _, err := parts.NextPart(); !errors.Is(err, io.EOF) {
		t.Errorf("after the picture: %v", err)
	}
}
