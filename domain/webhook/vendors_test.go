package webhook_test

import (
	_ "embed"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

// vendors are deliveries that a vendor has published, that its own package has made or accepted
// (by names it), or, where there is neither, that another program has signed by its documentation.
//
//go:embed testdata/vendors.json
var vendors []byte

type vendorDelivery struct {
	By, Sender, Secret, URL, Body, Type, ID, Event string

	At      int64
	Headers map[string]string
}

func vendorDeliveries(t testing.TB) (all []vendorDelivery) {
	t.Helper()
	must.Do(t, json.Unmarshal(vendors, &all))
	return all
}

// published are those of the senders' own documentation, by name.
func published(t testing.TB) map[string]vendorDelivery {
	t.Helper()
	all := map[string]vendorDelivery{}
	for _, d := range vendorDeliveries(t) {
		if name, ok := strings.CutSuffix(d.By, ", published"); ok {
			all[name] = d
		}
	}
	return all
}

func (d vendorDelivery) sender(t testing.TB) *webhook.Sender {
	t.Helper()
	return must.Get(webhook.SenderNamed(d.Sender))(t)
}

// headers are lines for request.
func (d vendorDelivery) headers() (lines string) {
	for _, name := range slices.Sorted(maps.Keys(d.Headers)) {
		lines += name + ": " + d.Headers[name] + "\n"
	}
	return lines
}

func (d vendorDelivery) request() webhook.Request {
	header := http.Header{"Content-Type": {"application/json"}}
	if d.Type != "" {
		header.Set("Content-Type", d.Type)
	}
	for name, value := range d.Headers {
		header.Set(name, value)
	}
	return webhook.Request{URL: d.URL, Header: header, Body: []byte(d.Body)}
}

func TestWhatVendorsSignIsAccepted(t *testing.T) {
	for _, d := range vendorDeliveries(t) {
		t.Run(d.Sender+" by "+d.By, func(t *testing.T) {
			s := d.sender(t)
			k, r := senderKey(t, s, d.Secret), d.request()
			if err := k.Check(r, time.Unix(d.At, 0)); err != nil || s.Check(r) != nil || !s.TakesType(r) {
				t.Errorf("refused: %v, %v", err, s.Check(r))
			}
			e, err := s.Event(r)
			if err != nil || string(e.Name) != d.Event || d.ID != "" && e.ID != d.ID || d.ID == "" && !webhook.IsBodyHash(e.ID) {
				t.Errorf("read as %q %q: %v", e.Name, e.ID, err)
			}
			if r.Body = []byte(d.Body + "x"); d.Sender != "mailgun" && r.Header["X-Gitlab-Token"] == nil && k.Verify(r, time.Unix(d.At, 0)) {
				t.Error("another body passes")
			}
		})
	}
}

// Each sender but those with certificates has one.
func TestEverySenderHasADeliveryOfItsVendor(t *testing.T) {
	covered := []string{"paypal", "sns", "graph", "slack", "octavo"} // have tests of their own
	for _, d := range vendorDeliveries(t) {
		covered = append(covered, d.Sender)
	}
	for _, s := range webhook.Senders() {
		if !slices.Contains(covered, s.Name()) {
			t.Errorf("%s has none", s.Name())
		}
	}
}
