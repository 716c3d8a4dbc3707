package webhook_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

func TestASampleOfEverySenderIsADeliveryOfIt(t *testing.T) {
	now := time.Unix(1795357925, 0)
	for name, s := range signables(t) {
		body, kind := s.SamplePayload("push", "opened", "evt-7", now)
		k := must.Get(s.Key(s.secret))(t)
		e := webhook.Event{ID: "evt-7", Name: "push", Payload: body, Header: map[string]string{"Content-Type": kind}}
		r, err := k.SignRequestTo(signedURL, e, now)
		if err != nil {
			t.Fatal(name, err)
		}
		http.Header(r.Header).Set("Content-Type", kind)
		if s.Check(r) != nil || k.Check(r, now) != nil || !s.TakesType(r) {
			t.Errorf("%s: %s is refused: %v, %v", name, body, s.Check(r), k.Check(r, now))
		}
		got, err := s.Event(r)
		if err != nil || got.Name != "push" && got.Name != "webhook" || got.ID != "evt-7" && !webhook.IsBodyHash(got.ID) {
			t.Errorf("%s: %s is read as %q %q: %v", name, body, got.Name, got.ID, err)
		}
		if _, err := s.ScanPayload(body); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
