package inspector

import (
	"net/http"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
)

// sample serves POST /webhooks/sample: it sends a sample to a source, as its sender would, and
// shows the delivery.
func (p *Pages) sample(w http.ResponseWriter, r *http.Request, by viewer) error {
	source, event := r.PostForm.Get("source"), strings.TrimSpace(r.PostForm.Get("event"))
	id, err := p.Send(r.Context(), source, event)
	if fault.KindOf(err) == fault.Invalid {
		f := filterFrom(nil, p.Sources())
		p.render(w, r, httpx.Status(err), "list", "Deliveries", by, listView{
			Filter: f, Error: httpx.PublicMessage(err), Samples: true, Event: event,
		})
		return nil
	}
	if err != nil {
		return err
	}
	p.redirectWithNotice(w, r, linkTo(source, id), "sample")
	return nil
}
