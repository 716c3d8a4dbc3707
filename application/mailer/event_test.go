package mailer_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

func TestAMessageIsEncodedAsACloudEvent(t *testing.T) {
	at := time.Date(2026, time.September, 7, 9, 0, 0, 123456000, time.UTC)
	m := message.Message{
		ID: 42, Kind: message.PasswordReset, To: "ann@rochester.edu", Lang: user.FR, Code: "04815162",
		Params: map[string]string{message.ParamIP: "192.0.2.7"}, CreatedAt: at, ExpiresAt: at.Add(10 * time.Minute),
		Trace: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
	}
	got, err := mailer.MarshalEvent(m, "https://octavo.example")
	want := `{"specversion":"1.0","id":"42","source":"https://octavo.example","type":"octavo.mail.password_reset",` +
		`"time":"2026-09-07T09:00:00.123456Z","expirytime":"2026-09-07T09:10:00.123456Z","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","datacontenttype":"application/json",` +
		`"data":{"code":"04815162","ip":"192.0.2.7","lang":"fr","to":"ann@rochester.edu"}}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

func TestAnEventDecodesToItsMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMicro(rapid.Int64Range(1, 4e15).Draw(t, "at")).UTC()
		in := message.Message{
			ID: rapid.Int64Min(1).Draw(t, "id"), Kind: rapid.SampledFrom(message.Kinds()).Draw(t, "kind"), To: "ann@x.edu",
			Lang: user.EN, Code: rapid.StringMatching(`([0-9]{8})?`).Draw(t, "code"), Link: rapid.SampledFrom([]string{"", "https://o.example/?a=1&b=<2>"}).Draw(t, "link"),
			CreatedAt: at, Trace: rapid.StringMatching(`(00-[0-9a-f]{32}-[0-9a-f]{16}-0[01])?`).Draw(t, "trace"),
		}
		if word := rapid.StringMatching(`[a-zé<& "]*`).Draw(t, "word"); word != "" {
			in.Params = map[string]string{message.ParamBook: word}
		}
		if rapid.Bool().Draw(t, "expires") {
			in.ExpiresAt = at.Add(time.Minute)
		}
		b := must.Get(mailer.MarshalEvent(in, "https://octavo.example"))(t)
		out, err := mailer.UnmarshalEvent(b)
		if err != nil || fmt.Sprint(out) != fmt.Sprint(in) {
			t.Fatalf("in  %v\nout %v, %v", in, out, err)
		}
	})
}

func TestAParameterCannotReplaceTheRecipientOrACode(t *testing.T) {
	m := message.Message{ID: 1, Kind: message.BookSold, To: "ann@x.edu", Lang: user.EN, Params: map[string]string{"to": "eve@x.edu", "code": "1", "link": "2", "lang": "3"}}
	b := must.Get(mailer.MarshalEvent(m, "https://octavo.example"))(t)
	out, err := mailer.UnmarshalEvent(b)
	if err != nil || out.To != "ann@x.edu" || out.Code != "" || out.Link != "" || out.Lang != user.EN {
		t.Errorf("out %+v, %v", out, err)
	}
}

func FuzzParseEvent(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `[]`, `{}`, `{"specversion":"1.0"}`, `{"specversion":"1.0","id":"1","type":"octavo.mail.book_sold","data":{"to":"a@x.edu"}}`,
		`{"specversion":"1.0","id":"-1","type":"octavo.mail.book_sold","data":{"to":"a@x.edu"}}`, `{"specversion":"1.0","id":"1","type":"octavo.mail.","data":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := mailer.UnmarshalEvent(b)
		if err != nil {
			if !errors.Is(err, mailer.ErrPermanent) {
				t.Errorf("err = %v", err)
			}
			return
		}
		if m.ID <= 0 || m.Kind == "" || m.To == "" {
			t.Errorf("read %+v", m)
		}
	})
}
