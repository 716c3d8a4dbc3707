package accountpages

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/user"
)

// mailboxPages shows in development what mails were sent.
func (p *Pages) mailboxPages() (f web.Feature) {
	if p.Mailbox != nil {
		f.Routes = []*web.Route{
			web.Get("/dev/mail", p.Unguarded(p.mails)), web.File("/dev/mail.json", web.Anonymous(p.mailsJSON)), web.File("/dev/mail.html", web.Anonymous(p.mailHTML)),
		}
	}
	return f
}

const (
	mailsOnPage = 50
	// mailsInJSON bounds one response.
	mailsInJSON = 500
	// previewPolicy allows the inline styles and the picture in a mail and nothing else.
	previewPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; sandbox"
)

// mailJSON is a mail in JSON. Code and Link are null if the mail has none.
type mailJSON struct {
	ID      string  `json:"id"`
	To      string  `json:"to"`
	Kind    string  `json:"kind"`
	Lang    string  `json:"lang"`
	Subject string  `json:"subject"`
	Text    string  `json:"text"`
	HTML    string  `json:"html"`
	Code    *string `json:"code"`
	Link    *string `json:"link"`
	SentAt  string  `json:"sentAt"`
}

// mailsJSON serves GET /dev/mail.json?to=ADDRESS, newest first.
func (p *Pages) mailsJSON(w http.ResponseWriter, r *http.Request) {
	mails, ok := p.readMails(w, r, mailsInJSON)
	if !ok {
		return
	}
	views := make([]mailJSON, len(mails))
	for i, m := range mails {
		views[i] = mailJSON{
			ID: id.Format(m.ID), To: string(m.To), Kind: string(m.Kind), Lang: string(m.Lang), Subject: m.Subject, Text: m.Text, HTML: m.HTML,
			Code: nilIfEmpty(m.Code), Link: nilIfEmpty(m.Link), SentAt: m.SentAt.Format(time.RFC3339Nano),
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(views) // fails only if the client has disconnected
}

func nilIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

type mailsView struct {
	To, JSON string
	Mails    []mailView
}

type mailView struct{ ID, Preview, To, Kind, Lang, Subject, Text, Code, Link, SentAt string }

// mails serves GET /dev/mail.
func (p *Pages) mails(w http.ResponseWriter, r *http.Request) {
	mails, ok := p.readMails(w, r, mailsOnPage)
	if !ok {
		return
	}
	v := mailsView{To: r.URL.Query().Get("to"), JSON: "/dev/mail.json"}
	if v.To != "" {
		v.JSON += "?to=" + url.QueryEscape(v.To)
	}
	for _, m := range mails {
		v.Mails = append(v.Mails, mailView{
			ID: id.Format(m.ID), Preview: "/dev/mail.html?id=" + id.Format(m.ID),
			To: string(m.To), Kind: string(m.Kind), Lang: string(m.Lang), Subject: m.Subject, Text: m.Text, Code: m.Code, Link: m.Link, SentAt: m.SentAt.Format(time.RFC3339),
		})
	}
	p.Render(w, r, http.StatusOK, "mails", web.PageData{Lang: user.EN, Title: "Sent mails", Page: v})
}

// mailHTML serves GET /dev/mail.html?id=ID: the HTML part of a mail.
func (p *Pages) mailHTML(w http.ResponseWriter, r *http.Request) {
	found, stored, err := p.Mailbox.FindMail(r.Context(), web.IDOf[int64](r.URL.Query().Get("id")))
	switch {
	case err != nil:
		p.refuseMails(w, r, err)
	case !stored:
		http.Error(w, "This mail does not exist.", http.StatusNotFound)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", previewPolicy)
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write([]byte(found.HTML))
	}
}

// readMails returns the mails to the address in the query, normalised as at a
// sign-up, or the newest mails to anybody.
func (p *Pages) readMails(w http.ResponseWriter, r *http.Request, n int) ([]mailer.Mail, bool) {
	to := user.Email(strings.ToLower(strings.TrimSpace(r.URL.Query().Get("to"))))
	mails, err := p.Mailbox.ListMails(r.Context(), to, n)
	if err != nil {
		p.refuseMails(w, r, err)
		return nil, false
	}
	return mails, true
}

func (p *Pages) refuseMails(w http.ResponseWriter, r *http.Request, err error) {
	p.LogFailure(r, "reading the mailbox", err)
	httpx.SetRetryAfter(w.Header(), err)
	http.Error(w, httpx.PublicMessage(err), httpx.Status(err))
}
