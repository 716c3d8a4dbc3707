package mailer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

// writeWith composes a mail with templates of an operator.
func writeWith(t *testing.T, identity mailer.Identity, replaced map[string]string, m message.Message) mailer.Mail {
	t.Helper()
	templates := must.Get(mailer.NewTemplates(identity, replaced))(t)
	var out outgoing
	must.Do(t, mailer.NewMailer(&out, fake.NewClock().Now, templates).PublishMessages(t.Context(), []message.Message{m})[0])
	return out.mails[0]
}

func TestMailsCarryTheOperatorsNameAndAddress(t *testing.T) {
	identity := mailer.Identity{Name: "Bücher & Co", Support: "help@example.edu"}
	for _, lang := range []user.Lang{user.EN, user.FR} {
		for _, kind := range message.Kinds() {
			m := writeWith(t, identity, nil, full(kind, lang))
			if all := m.Subject + m.Text + m.HTML; strings.Contains(all, "Octavo") {
				t.Errorf("%s in %s names the program: %s", kind, lang, all)
			}
			if !strings.Contains(m.Text, "Bücher & Co") || !strings.Contains(m.Text, "help@example.edu") || !strings.Contains(m.HTML, "Bücher &amp; Co") {
				t.Errorf("%s in %s lacks the name or the address:\n%s", kind, lang, m.Text)
			}
		}
	}
}

func TestMailsAboutAccountsDoNotMentionTextbooks(t *testing.T) {
	for _, kind := range message.Kinds() {
		if !kind.Urgent() {
			continue
		}
		for lang, words := range map[user.Lang][]string{user.EN: {"book", "market"}, user.FR: {"livre", "manuel", "march"}} {
			m := write(t, full(kind, lang))
			for _, word := range words {
				if strings.Contains(strings.ToLower(m.Subject+m.Text), word) {
					t.Errorf("%s in %s mentions %q:\n%s", kind, lang, word, m.Text)
				}
			}
		}
	}
}

func TestAnOperatorReplacesSingleTemplates(t *testing.T) {
	replaced := map[string]string{
		"en/verification.tmpl": "Subject: Your {{service}} code\n\nHere it is:\n\n{{code}}\n\n{{link \"Confirm\"}}\n",
		"layout.html.tmpl":     "<b>{{.Subject}}</b>{{range .Parts}}{{.Text}}{{.Code}}<a href=\"{{.Link}}\">{{.Label}}</a>{{end}}",
	}
	m := writeWith(t, mailer.Identity{Name: "Folio"}, replaced, full(message.Verification, user.EN))
	if m.Subject != "Your Folio code" || !strings.Contains(m.Text, "Here it is:\n\n    04815162\n\nConfirm\nhttps://octavo.example/x?a=1&b=2") {
		t.Errorf("%s\n%s", m.Subject, m.Text)
	}
	if !strings.HasPrefix(m.HTML, "<b>Your Folio code</b>Here it is:") {
		t.Errorf("html %s", m.HTML)
	}
	m = writeWith(t, mailer.Identity{Name: "Folio"}, map[string]string{"en/common.tmpl": `{{define "greeting"}}Dear reader,{{end}}`}, full(message.Verification, user.EN))
	if !strings.HasPrefix(m.Text, "Dear reader,\n") || !strings.Contains(m.Text, "Folio sent you this email") {
		t.Errorf("with another greeting:\n%s", m.Text)
	}
	if m = writeWith(t, mailer.Identity{Name: "Folio"}, replaced, full(message.Verification, user.FR)); !strings.HasPrefix(m.Subject, "Confirmez") {
		t.Errorf("the French mail is %q", m.Subject)
	}
}

func TestATemplateThatCannotReplaceTheBuiltInOneIsRefusedByName(t *testing.T) {
	const body = "Subject: A code\n\n{{code}}\n\n{{link \"Confirm\"}}\n"
	for why, test := range map[string]struct{ name, text, wants string }{
		"no such template":       {"en/verfication.tmpl", body, "en/verfication.tmpl"},
		"no such language":       {"de/verification.tmpl", body, "de/verification.tmpl"},
		"does not parse":         {"en/verification.tmpl", "Subject: {{.Book", "en/verification.tmpl"},
		"no such function":       {"en/verification.tmpl", body + "{{shout}}", "shout"},
		"no such field":          {"en/verification.tmpl", body + "{{.Password}}", "Password"},
		"no such phrase":         {"fr/verification.tmpl", body + `{{template "codelive" .}}`, "codelive"},
		"no subject":             {"en/verification.tmpl", "{{code}}\n\n{{link \"Confirm\"}}\n", "Subject"},
		"an empty file":          {"en/verification.tmpl", "", "Subject"},
		"the code in a subject":  {"en/password_reset.tmpl", "Subject: {{code}}\n\n{{code}}\n\n{{link \"x\"}}", "Subject"},
		"no code":                {"en/password_reset.tmpl", "Subject: A code\n\nGuess it.\n\n{{link \"Confirm\"}}\n", "lacks its code"},
		"a code within a line":   {"en/password_reset.tmpl", "Subject: A code\n\nIt is {{code}}.\n\n{{link \"Confirm\"}}\n", "lacks its code"},
		"no link":                {"fr/invitation.tmpl", "Subject: Come\n\nSoon.\n\n{{code}}", "lacks its link"},
		"a layout without links": {"layout.html.tmpl", "{{range .Parts}}{{.Text}}{{.Code}}{{end}}", "lacks its link"},
		"a layout with a typo":   {"layout.html.tmpl", "{{range .Pars}}{{end}}", "Pars"},
	} {
		_, err := mailer.NewTemplates(mailer.Identity{Name: "Octavo"}, map[string]string{test.name: test.text})
		if !errors.Is(err, mailer.ErrTemplate) || !strings.Contains(err.Error(), test.wants) {
			t.Errorf("%s: %v", why, err)
		}
	}
}

func TestTheBuiltInTemplatesCanReplaceThemselves(t *testing.T) {
	files := mailer.TemplateFiles()
	if len(files) != 1+2*(1+len(message.Kinds())) {
		t.Errorf("%d files", len(files))
	}
	if _, err := mailer.NewTemplates(mailer.Identity{Name: "Octavo"}, files); err != nil {
		t.Error(err)
	}
}

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
