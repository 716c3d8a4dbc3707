package inspector

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
)

type listView struct {
	Filter     filter
	Error      string // of the filters
	Chart      *chart // nil with an error or before the first delivery
	Deliveries []deliveryView
	Older      string // the path of the next page, "" at the end
	Newest     string // the path of the first page, "" on it
	Live       bool   // the script updates the list
	Example    string
	Samples    bool   // there is a form that sends one
	Event      string // in that form
}

const pageSize = 50

// list serves GET /webhooks.
func (p *Pages) list(w http.ResponseWriter, r *http.Request, by viewer) error {
	now := p.Clock.Now()
	f := filterFrom(r.URL.Query(), p.Sources())
	v := listView{Filter: f, Example: p.Example, Samples: p.Send != nil, Live: f.Cursor == ""}
	q, err := f.query(now)
	var next int64
	var page []inbox.Delivery
	if err == nil {
		q.Limit = pageSize
		page, next, err = p.admin.ListDeliveries(r.Context(), q)
	}
	status := http.StatusOK
	if fault.KindOf(err) == fault.Invalid {
		v.Error, v.Live, status = fieldMessage(err), false, http.StatusBadRequest
		p.render(w, r, status, "list", "Deliveries", by, v)
		return nil
	}
	if err != nil {
		return err
	}
	if v.Chart, err = p.chart(r.Context(), f, q, len(page) > 0, now); err != nil {
		return err
	}
	for _, d := range page {
		v.Deliveries = append(v.Deliveries, viewOf(d))
	}
	if next != 0 {
		v.Older = f.link(id.Format(next))
	}
	if f.Cursor != "" {
		v.Newest = f.link("")
	}
	p.render(w, r, status, "list", "Deliveries", by, v)
	return nil
}

// chart counts the deliveries of the filters. A search has none, because that would read every
// payload.
func (p *Pages) chart(ctx context.Context, f filter, q inbox.Query, listed bool, now time.Time) (*chart, error) {
	if f.Text != "" || !listed && f.Empty() && f.Cursor == "" {
		return nil, nil //nolint:nilnil // no chart is no error
	}
	window := windowOf(f, q, now)
	q.From, q.To = window.from, window.to
	counts, err := p.admin.CountDeliveries(ctx, q, window.step)
	if err != nil {
		return nil, err
	}
	drawn := newChart(f, window, counts)
	return &drawn, nil
}

// fieldMessage says which field is wrong and why.
func fieldMessage(err error) string {
	for field, why := range fault.As(err).Fields {
		return strings.ToUpper(field[:1]) + field[1:] + " " + why + "."
	}
	return httpx.PublicMessage(err)
}

// plainID matches the ids that every browser and proxy leaves unchanged in a path.
var plainID = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._~-]*$`)

// linkTo returns the path of a delivery.
func linkTo(source, id string) string {
	if plainID.MatchString(id) {
		return deliveryPath + "/" + id + "?" + url.Values{"source": {source}}.Encode()
	}
	return Base + "/delivery?" + url.Values{"source": {source}, "id": {id}}.Encode()
}
