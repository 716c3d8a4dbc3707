package mailer_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// outgoing stores the mails that it does not refuse.
type outgoing struct {
	mails  []mailer.Mail
	refuse func(mailer.Mail) error
}

func (o *outgoing) SendMails(_ context.Context, mails []mailer.Mail) []error {
	errs := make([]error, len(mails))
	for i, m := range mails {
		if o.refuse != nil {
			errs[i] = o.refuse(m)
		}
		if errs[i] == nil {
			o.mails = append(o.mails, m)
		}
	}
	return errs
}

func builtIn(t rapid.TB) *mailer.Templates {
	t.Helper()
	return must.Get(mailer.NewTemplates(mailer.Identity{Name: "Octavo"}, nil))(t)
}

func write(t rapid.TB, m message.Message) mailer.Mail {
	t.Helper()
	var out outgoing
	if err := mailer.NewMailer(&out, fake.NewClock().Now, builtIn(t)).PublishMessages(context.Background(), []message.Message{m})[0]; err != nil {
		t.Fatalf("%s in %s: %v", m.Kind, m.Lang, err)
	}
	return out.mails[0]
}

// full returns a message with every parameter of its kind.
func full(kind message.Kind, lang user.Lang) message.Message {
	now := fake.NewClock().Now()
	m := message.Message{
		ID: 1, Kind: kind, To: "ann@rochester.edu", Lang: lang, CreatedAt: now, Link: "https://octavo.example/x?a=1&b=2",
		Params: map[string]string{
			message.ParamBook: "Linear Algebra & <Friends>", message.ParamCourse: "MATH 165", message.ParamPrice: "1240.00",
			message.ParamFee: "62.00", message.ParamTotal: "1302.00", message.ParamRefund: "1302.00", message.ParamReason: "isbn", message.ParamFrom: "Zoë <b>",
			message.ParamBrowser: "Firefox", message.ParamSystem: "Linux", message.ParamProvider: "Campus", message.ParamIP: "192.0.2.7", message.ParamAt: now.Format(time.RFC3339),
		},
	}
	switch kind {
	case message.Verification, message.PasswordReset, message.SignInCode, message.IdentityCode, message.EmailChange:
		m.Code, m.ExpiresAt = "04815162", now.Add(10*time.Minute)
	case message.Invitation:
		m.ExpiresAt = now.Add(7 * 24 * time.Hour)
	case message.EmailChanged:
		m.Params[message.ParamEmail], m.ExpiresAt = "new@rochester.edu", now.Add(7*24*time.Hour)
	case message.Suspended:
		m.Link, m.Params[message.ParamReason] = "", "Insulted other people."
	case message.SignInApproval:
		m.ExpiresAt = now.Add(time.Hour)
	case message.OrderCancelled, message.BookUnlisted:
		m.Params[message.ParamReason] = "The book never came."
	case message.RecoveryCodeUsed:
		m.Params[message.ParamLeft] = "7"
	case message.OfferAnswered:
		m.Params[message.ParamAnswer] = "accepted"
	case message.MeetingProposed, message.MeetingAccepted:
		m.Params[message.ParamPlace] = "Library <b>\r\nBcc: eve@example.com"
	}
	if kind.Optional() {
		m.Params[message.ParamStop] = "https://octavo.example/unsubscribe?token=t0k3n"
	}
	return m
}

func TestEveryKindHasAMailInEveryLanguage(t *testing.T) {
	for _, lang := range []user.Lang{user.EN, user.FR} {
		var all strings.Builder
		for _, kind := range message.Kinds() {
			m := write(t, full(kind, lang))
			fmt.Fprintf(&all, "=== %s\nSubject: %s\n\n%s\n", kind, m.Subject, m.Text)
		}
		golden(t, "mails."+string(lang)+".txt", all.String())
	}
	golden(t, "mail.html", write(t, full(message.Verification, user.EN)).HTML)
	golden(t, "mail.fr.html", write(t, full(message.MatchFound, user.FR)).HTML)
}

func TestAMailAboutManyBooksListsThemAndCountsTheOthers(t *testing.T) {
	for _, lang := range []user.Lang{user.EN, user.FR} {
		var all strings.Builder
		for _, kind := range []message.Kind{message.MatchFound, message.SearchHit} {
			listed := full(kind, lang)
			listed.Params[message.ParamMore], listed.Params[message.ParamCurrency] = "1979", "USD"
			listed.Params[message.ParamItems] = message.JoinItems([]message.Item{
				{Title: "Linear Algebra & <Friends>", Course: "MATH 165", Price: "1240.00"}, {Title: "See https://www.evil.example", Price: "5.00"}, {Title: "Topology"},
			})
			older, gone, single := full(kind, lang), full(kind, lang), full(kind, lang)
			older.Params[message.ParamMore] = "2" // from before mails had lists
			gone.Params = map[string]string{message.ParamMore: "7"}
			single.Params = map[string]string{message.ParamMore: "1"}
			for _, m := range []message.Message{listed, older, gone, single} {
				w := write(t, m)
				fmt.Fprintf(&all, "=== %s\nSubject: %s\n\n%s\n", kind, w.Subject, w.Text)
			}
		}
		golden(t, "digests."+string(lang)+".txt", all.String())
	}
}

func TestOneMailTellsASellerOfManyUnlistedBooks(t *testing.T) {
	for _, lang := range []user.Lang{user.EN, user.FR} {
		var all strings.Builder
		for _, reason := range []string{"", "Not textbooks."} {
			m := full(message.BookUnlisted, lang)
			m.Params[message.ParamReason], m.Params[message.ParamMore] = reason, "1999"
			m.Params[message.ParamItems] = message.JoinItems([]message.Item{
				{Title: "Linear Algebra & <Friends>", Course: "MATH 165"}, {Title: "See https://www.evil.example", Course: "CHM 131"}, {Title: "Topology"},
			})
			w := write(t, m)
			fmt.Fprintf(&all, "=== %q\nSubject: %s\n\n%s\n", reason, w.Subject, w.Text)
		}
		one := full(message.BookUnlisted, lang)
		one.Params = map[string]string{message.ParamMore: "1"} // the others are for sale again
		w := write(t, one)
		fmt.Fprintf(&all, "=== one of many\nSubject: %s\n\n%s\n", w.Subject, w.Text)
		golden(t, "unlisted."+string(lang)+".txt", all.String())
	}
}

func TestASubjectHoldsFewWordsOfPeopleAndNoLink(t *testing.T) {
	hostile := "Visit HTTPS://WWW.evil.example or write to me@evil.example\r\nBcc: all@campus.edu " + strings.Repeat("very long ", 50)
	for _, lang := range []user.Lang{user.EN, user.FR} {
		for _, kind := range message.Kinds() {
			plain := full(kind, lang)
			m := full(kind, lang)
			for _, name := range []string{message.ParamBook, message.ParamCourse, message.ParamReason, message.ParamFrom, message.ParamPlace, message.ParamAbout, message.ParamBrowser, message.ParamSystem, message.ParamProvider, message.ParamIP, message.ParamEmail} {
				plain.Params[name], m.Params[name] = "", hostile
			}
			got, bare := write(t, m).Subject, write(t, plain).Subject
			if folded := strings.ToLower(got); strings.Contains(folded, "://") || strings.Contains(folded, "www.") || strings.ContainsAny(folded, "@\r\n") {
				t.Errorf("%s in %s: %q", kind, lang, got)
			}
			if most := utf8.RuneCountInString(bare) + message.MaxSubjectWords + 10; utf8.RuneCountInString(got) > most { // quotation marks and words between
				t.Errorf("%s in %s: %q has %d characters", kind, lang, got, utf8.RuneCountInString(got))
			}
		}
	}
}

func TestMailsFollowTheWayInWhichBooksChangeHands(t *testing.T) {
	for _, lang := range []user.Lang{user.EN, user.FR} {
		var all strings.Builder
		for _, mode := range []string{"meet", "both"} {
			for _, kind := range []message.Kind{message.BookSold, message.PurchasePlaced, message.ConditionVerified, message.PaymentSent, message.BookDelivered} {
				m := full(kind, lang)
				m.Params[message.ParamHandover], m.Params[message.ParamMet] = mode, "yes"
				w := write(t, m)
				fmt.Fprintf(&all, "=== %s, %s\nSubject: %s\n\n%s\n", kind, mode, w.Subject, w.Text)
			}
		}
		golden(t, "meetings."+string(lang)+".txt", all.String())
	}
}

func TestMailsReadWellWithoutAnyParameter(t *testing.T) {
	var all strings.Builder
	for _, lang := range []user.Lang{user.EN, user.FR} {
		for _, kind := range message.Kinds() {
			m := write(t, message.Message{ID: 1, Kind: kind, To: "ann@x.edu", Lang: lang})
			if strings.Contains(m.Text+m.HTML+m.Subject, "<no value>") || strings.Contains(m.Text, "  ") || m.Subject == "" {
				t.Errorf("%s in %s: %q %q", kind, lang, m.Subject, m.Text)
			}
			fmt.Fprintf(&all, "=== %s %s\nSubject: %s\n\n%s\n", lang, kind, m.Subject, m.Text)
		}
	}
	golden(t, "bare.txt", all.String())
}

func TestALineOfAFrenchMailNeverBeginsWithPunctuation(t *testing.T) {
	breakable := regexp.MustCompile(` [:;?!»$]|« `)
	for _, kind := range message.Kinds() {
		m := write(t, full(kind, user.FR))
		for _, s := range breakable.FindAllString(m.Subject+"\n"+m.Text+"\n"+m.HTML, -1) {
			t.Errorf("%s: %q needs a no-break space", kind, s)
		}
	}
}

func TestTextAndHTMLShowTheCodeAndTheLink(t *testing.T) {
	for _, kind := range message.Kinds() {
		m := write(t, full(kind, user.FR))
		for _, secret := range []string{m.Code, m.Link} {
			escaped := strings.ReplaceAll(secret, "&", "&amp;")
			if !strings.Contains(m.Text, secret) || !strings.Contains(m.HTML, escaped) {
				t.Errorf("%s: %q is missing", kind, secret)
			}
			if secret != "" && strings.Contains(m.Subject, secret) {
				t.Errorf("%s: a secret in the subject, which lock screens show", kind)
			}
		}
	}
}

func TestAnUnknownLanguageFallsBackToEnglishAndAnUnknownKindIsPermanent(t *testing.T) {
	if m := write(t, full(message.BookSold, "tlh")); !strings.HasPrefix(m.Subject, "Sold") {
		t.Errorf("subject = %q", m.Subject)
	}
	var out outgoing
	errs := mailer.NewMailer(&out, fake.NewClock().Now, builtIn(t)).PublishMessages(t.Context(), []message.Message{
		{ID: 1, Kind: "gossip", To: "a@x.edu"}, {ID: 2, Kind: message.BookSold, To: "b@x.edu"},
	})
	if !errors.Is(errs[0], mailer.ErrPermanent) || errs[1] != nil || len(out.mails) != 1 {
		t.Errorf("errs = %v, sent %d", errs, len(out.mails))
	}
}

// A parameter that a person wrote can forge neither a header nor HTML nor another part of
// the mail.
func TestAParameterCannotForgeAHeaderHTMLOrALink(t *testing.T) {
	kinds := message.Kinds()
	nasty := []string{"a\r\nBcc: x@y.z", "<script>alert(1)</script>", "\x00link Evil", "\x00code", "a\n\n\x00code\n\nb", "\u202egnp.exe", "{{.Code}}", "\u2028x"}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(rapid.SampledFrom(nasty), rapid.String()).Draw(t, "word")
		m := full(rapid.SampledFrom(kinds).Draw(t, "kind"), rapid.SampledFrom([]user.Lang{user.EN, user.FR}).Draw(t, "lang"))
		plain := write(t, m)
		for name := range m.Params {
			if name != message.ParamStop {
				m.Params[name] = word
			}
		}
		got := write(t, m)
		if strings.ContainsAny(got.Subject, "\r\n\x00\u202e\u2028") || strings.ContainsAny(got.Text, "\r\x00\u202e\u2028") {
			t.Fatalf("subject %q text %q", got.Subject, got.Text)
		}
		if strings.Contains(got.HTML, "<script") || strings.Count(got.HTML, "href=") != strings.Count(plain.HTML, "href=") {
			t.Fatalf("html %s", got.HTML)
		}
		if strings.Count(got.Text, "    04815162") != strings.Count(plain.Text, "    04815162") {
			t.Fatalf("text %s", got.Text)
		}
	})
}

func TestAChainOfSendersSendsThroughBothOrReturnsTheFirstError(t *testing.T) {
	refused := errors.New("refused")
	first := &outgoing{refuse: func(m mailer.Mail) error {
		if m.ID == 2 {
			return refused
		}
		return nil
	}}
	second := &outgoing{refuse: func(m mailer.Mail) error {
		if m.ID == 3 {
			return refused
		}
		return nil
	}}
	mails := make([]mailer.Mail, 3)
	for i := range mails {
		mails[i].ID = int64(i + 1)
	}
	errs := mailer.ChainSenders(first, second).SendMails(t.Context(), mails)
	if errs[0] != nil || !errors.Is(errs[1], refused) || !errors.Is(errs[2], refused) {
		t.Errorf("errs = %v", errs)
	}
	if len(first.mails) != 2 || len(second.mails) != 1 || second.mails[0].ID != 1 {
		t.Errorf("first %d, second %v", len(first.mails), second.mails)
	}
	if errs = mailer.ChainSenders(first, second).SendMails(t.Context(), mails[1:2]); !errors.Is(errs[0], refused) {
		t.Errorf("errs = %v", errs)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must.Do(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want := must.Get(os.ReadFile(path))(t)
	if got != string(want) {
		t.Errorf("%s differs; if the new text is right, run the test with -update:\n%s", path, got)
	}
}

func TestOneMailTellsABuyerOfAllBooksOfACheckout(t *testing.T) {
	for _, lang := range []user.Lang{user.EN, user.FR} {
		var all strings.Builder
		for _, more := range []string{"1", "24"} {
			for _, settlement := range []string{"", "direct"} {
				m := full(message.PurchasePlaced, lang)
				m.Params[message.ParamMore], m.Params[message.ParamSettlement], m.Params[message.ParamCurrency] = more, settlement, "USD"
				m.Params[message.ParamItems] = message.JoinItems([]message.Item{
					{Title: "Linear Algebra & <Friends>", Course: "MATH 165", Price: "1240.00"}, {Title: "See https://www.evil.example", Price: "5.00"},
				})
				w := write(t, m)
				fmt.Fprintf(&all, "=== %s %s\nSubject: %s\n\n%s\n", more, settlement, w.Subject, w.Text)
			}
		}
		golden(t, "purchases."+string(lang)+".txt", all.String())
	}
}

func TestOneMailTellsASellerOfAllBooksOfACheckout(t *testing.T) {
	for lang, want := range map[user.Lang][2]string{
		user.EN: {"and another book of yours were sold to one buyer for $1,240.00 in all.", "and 3 other books of yours were sold to one buyer for $1,240.00 in all."},
		user.FR: {"et un autre de vos livres ont été vendus à la même personne pour 1 240,00 $ en tout.", "et 3 autres de vos livres ont été vendus à la même personne pour 1 240,00 $ en tout."},
	} {
		for i, more := range []string{"1", "3"} {
			m := full(message.BookSold, lang)
			m.Params[message.ParamMore] = more
			if text := strings.Join(strings.FieldsFunc(write(t, m).Text, unicode.IsSpace), " "); !strings.Contains(text, want[i]) {
				t.Errorf("%s, %s more: %s", lang, more, text)
			}
		}
	}
}
