package openidprofile

import (
	"net/http"
	"time"
)

// codes are the modules of the Basic profile about codes that are used twice.
func codes() []Module {
	return []Module{
		{Basic, "oidcc-codereuse", func(r *run) {
			q, _ := r.newBrowser().authorize(r.Basic)
			r.redeem(r.Basic, q)
			status, body := r.post(r.Basic, exchange(r.Basic, q))
			r.should(status != http.StatusOK, "the code was accepted again")
			r.must(status == http.StatusBadRequest && body["error"] == "invalid_grant", "%d %v", status, body)
		}},
		{Basic, "oidcc-codereuse-30seconds", func(r *run) {
			q, _ := r.newBrowser().authorize(r.Basic)
			first := r.redeem(r.Basic, q)
			status, body := r.post(r.Basic, exchange(r.Basic, q))
			for until := time.Now().Add(30 * time.Second); status == http.StatusOK && time.Now().Before(until); {
				<-time.After(250 * time.Millisecond) // the suite waits as long as it takes at most
				status, body = r.post(r.Basic, exchange(r.Basic, q))
			}
			r.must(status == http.StatusBadRequest && body["error"] == "invalid_grant", "%d %v", status, body)
			status, _, _ = r.get(r.endpoint("userinfo_endpoint"), first.access)
			r.should(status >= 400 && status < 500, "the first token still works")
		}},
	}
}
