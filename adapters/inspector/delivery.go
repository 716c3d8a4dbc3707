package inspector

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/fault"
)

type deliveryPage struct {
	deliveryView
	Done, Error string // the result of "Send again"
	Attempts    []attemptView
	Headers     []header
	Payload     string
	Size        string
	Cut         bool   // only the beginning of the payload is shown
	Problem     string // why there is no payload
	Raw         string // the path of the payload
	Others      []link // deliveries with the same id
	Rules       []verdictView
	Curl        string
}

type link struct{ Text, Path string }

type header struct{ Name, Value string }

// maxShown bounds the payload on a page; the whole is offered as a file.
const maxShown = 128 << 10

// find returns the delivery that a request names.
func (p *Pages) find(r *http.Request) (inbox.Delivery, error) {
	id := r.PathValue("id")
	values := r.URL.Query()
	if r.Method == http.MethodPost {
		values = r.PostForm
	}
	if id == "" {
		id = values.Get("id")
	}
	return p.admin.FindDelivery(r.Context(), values.Get("source"), id)
}

// delivery serves GET /webhooks/deliveries/{id} and /webhooks/delivery?id=.
func (p *Pages) delivery(w http.ResponseWriter, r *http.Request, by viewer) error {
	d, err := p.find(r)
	if err != nil {
		return err
	}
	return p.showDelivery(w, r, by, d, http.StatusOK, "", p.takeNotice(w, r))
}

func (p *Pages) showDelivery(w http.ResponseWriter, r *http.Request, by viewer, d inbox.Delivery, status int, failure, done string) error {
	v := deliveryPage{deliveryView: viewOf(d), Error: failure, Done: done, Attempts: attemptsOf(d), Size: size(len(d.Payload))}
	v.Raw = payloadPath + "?" + url.Values{"source": {d.Source}, "id": {d.Name()}}.Encode()
	for _, name := range d.Others {
		v.Others = append(v.Others, link{name, linkTo(d.Source, name)})
	}
	for _, name := range slices.Sorted(maps.Keys(d.Header)) {
		v.Headers = append(v.Headers, header{name, d.Header[name]})
	}
	if d.Header == nil { // of webhook.Host
		v.Headers = []header{{"X-Host-Delivery", d.SenderID()}, {"X-Host-Event", string(d.Event)}}
	}
	if d.Payload == nil {
		v.Problem = "The payload has been deleted, so the delivery cannot be sent again."
	} else {
		v.Payload, v.Cut = pretty(d.Payload, maxShown)
	}
	v.Curl = curlOf(d)
	verdicts, err := p.admin.ExplainRules(r.Context(), d)
	if err != nil {
		return err
	}
	for _, verdict := range verdicts {
		v.Rules = append(v.Rules, verdictView{ruleName(verdict.Rule), verdict.Why, verdict.Takes})
	}
	p.render(w, r, status, "delivery", v.Name, by, v)
	return nil
}

// verdictView says whether a rule takes the delivery now.
type verdictView struct {
	Rule, Why string
	Takes     bool
}

// size formats a number of bytes.
func size(n int) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d %s", n, plural(n, "byte", "bytes"))
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// payload serves GET /webhooks/payload: the body as it was received, as a file that no
// browser shows as a page.
func (p *Pages) payload(w http.ResponseWriter, r *http.Request, _ viewer) error {
	d, err := p.find(r)
	if err == nil && d.Payload == nil {
		err = inbox.ErrPayloadGone
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Disposition", `attachment; filename="`+fileName(d)+`"`)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(d.Payload)))
	_, _ = w.Write(d.Payload)
	return nil
}

// fileName keeps only letters and digits of the id.
func fileName(d inbox.Delivery) string {
	id := strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_' {
			return c
		}
		return '_'
	}, d.ID)
	return "delivery-" + id[:min(len(id), 80)] + ".json"
}

// redeliver serves POST /webhooks/redeliver.
func (p *Pages) redeliver(w http.ResponseWriter, r *http.Request, by viewer) error {
	d, err := p.find(r)
	if err != nil {
		return err
	}
	targets, err := p.admin.Redeliver(r.Context(), d.Source, d.Name())
	if fault.KindOf(err) == fault.Conflict {
		return p.showDelivery(w, r, by, d, httpx.Status(err), httpx.PublicMessage(err), "")
	}
	if err != nil {
		return err
	}
	p.redirectWithNotice(w, r, linkTo(d.Source, d.Name()), "sent-"+strconv.Itoa(targets))
	return nil
}

// noticeCookie is the cookie of the message for the next page. It is no query parameter, because
// anybody can forge a link.
func (p *Pages) noticeCookie() httpx.Cookies {
	return httpx.NewCookies(httpx.CookieConfig{Secure: p.Secure, SameSite: http.SameSiteStrictMode})
}

// redirectWithNotice redirects to a page of ours, which shows the notice.
func (p *Pages) redirectWithNotice(w http.ResponseWriter, r *http.Request, to, name string) {
	if u, err := url.Parse(to); err == nil {
		p.noticeCookie().SetFlash(w, u.Path, name)
	}
	http.Redirect(w, r, to, http.StatusSeeOther) //nolint:gosec // linkTo made it of a name and an ID, below our own path
}

// takeNotice returns the message that the last form has left.
func (p *Pages) takeNotice(w http.ResponseWriter, r *http.Request) string {
	name := p.noticeCookie().TakeFlash(w, r)
	if text, sent := strings.CutPrefix(name, "sent-"); sent {
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			return fmt.Sprintf("Sent again to %d %s. Reload the page to see the answer in the state below.", n, plural(n, "target", "targets"))
		}
	}
	return notices[name]
}

// notices are the other messages by their names.
var notices = map[string]string{
	"sample":  "The sample was sent as its sender would send it, verified and stored.",
	"paused":  "The rule is paused. Its deliveries wait until it is resumed.",
	"resumed": "The rule is resumed. The waiting deliveries are being sent.",
}
