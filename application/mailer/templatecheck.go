package mailer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// checkAgainst composes every kind of mail in every language from samples. A mail must
// have the code and the link that the built-in templates put into it.
func (t *Templates) checkAgainst(builtIn *Templates) error {
	for _, lang := range []user.Lang{user.EN, user.FR} {
		for _, kind := range message.Kinds() {
			for _, sample := range samples(kind, lang) {
				if err := t.checkSample(builtIn, sample); err != nil {
					return fmt.Errorf("%w: %s/%s.tmpl: %w", ErrTemplate, lang, kind, err)
				}
			}
		}
	}
	return nil
}

func (t *Templates) checkSample(builtIn *Templates, sample message.Message) error {
	want, err := builtIn.compose(sample)
	if err != nil {
		return err
	}
	c, err := t.compose(sample)
	if err != nil {
		return err
	}
	c.show(newPicture(sample, []byte{0}), sample)
	html, err := t.html(c)
	if err != nil {
		return err
	}
	for what, secret := range map[string]string{"code": sample.Code, "link": sample.Link} {
		switch {
		case !contains(want, secret):
		case !contains(c, secret):
			return fmt.Errorf("the mail lacks its %s: {{%s}} must be a paragraph of its own", what, what)
		case !strings.Contains(html, secret):
			return fmt.Errorf("with %s, the mail lacks its %s", layoutFile, what)
		}
	}
	return nil
}

// contains reports whether a mail has a code or link.
func contains(c content, secret string) bool {
	return secret != "" && slices.ContainsFunc(c.Parts, func(p part) bool { return p.Code == secret || p.Link == secret })
}

// samples are messages of a kind with everything that a template may use, with the code
// or the link alone, and with neither.
func samples(kind message.Kind, lang user.Lang) []message.Message {
	const code, link = "04815162", "https://octavo.example/link"
	at := time.Unix(1_700_000_000, 0).UTC()
	full := message.Message{
		Kind: kind, To: "ann@example.edu", Lang: lang, Code: code, Link: link, CreatedAt: at, ExpiresAt: at.Add(time.Hour),
		Params: map[string]string{
			message.ParamBook: "Algebra", message.ParamCourse: "MATH 165", message.ParamPrice: "12.50", message.ParamFee: "0.63",
			message.ParamCurrency: "USD",
			message.ParamTotal:    "13.13", message.ParamReason: "isbn", message.ParamFrom: "Ann", message.ParamRefund: "13.13",
			message.ParamBrowser: "Firefox",
			message.ParamSystem:  "Linux", message.ParamProvider: "Campus", message.ParamIP: "192.0.2.7",
			message.ParamAt: at.Format(time.RFC3339), message.ParamStop: link + "/stop", message.ParamAbout: "Algebra",
			message.ParamUpheld: "yes", message.ParamMore: "2",
			message.ParamItems: message.JoinItems(
				[]message.Item{{Title: "Algebra", Course: "MTH 165", Price: "12.50"}, {Title: "Topology"}},
			),
		},
	}
	bare := message.Message{Kind: kind, To: full.To, Lang: lang, CreatedAt: at}
	byCode, byLink := full, full
	byCode.Link, byLink.Code = "", ""
	return []message.Message{full, byCode, byLink, bare}
}
