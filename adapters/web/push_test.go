package web_test

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/push"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func TestTheControlOfNotificationsOffersEveryKindAndSaysThatItNeedsAScript(t *testing.T) {
	c := newCampus(t)
	page := c.student("Ada").open("/notifications").shows(200, "Notifications on this device", "This control needs JavaScript.", `src="/static/push.js`, `data-key="BA1H`)
	var offered []string
	for _, found := range regexp.MustCompile(`name="kinds" value="([^"]+)"`).FindAllStringSubmatch(page.body, -1) {
		offered = append(offered, strings.Fields(found[1])...)
	}
	slices.Sort(offered)
	var want []string
	for _, k := range notification.Kinds() {
		if k != notification.Welcome {
			want = append(want, string(k))
		}
	}
	if !slices.Equal(offered, want) {
		t.Errorf("the control offers %v, want %v", offered, want)
	}
}

func TestThePageKnowsTheBrowsersOfItsViewerUntilTheySignOut(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	by := must.Get(c.Authenticator.Authenticate(t.Context(), ada.cookies["octavo_access"], authkit.Firefox))(t)
	endpoint := "https://push.example.net/a-secret"
	must.Get(c.pages.Market.PushSubscriptions.Add(t.Context(), by, push.Draft{
		Endpoint: endpoint, Kinds: []string{"book_sold"},
		Keys: push.Keys{P256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", Auth: "BTBZMqHH6r4Tts7J_aSIgg"},
	}))(t)
	hash := sha256.Sum256([]byte(endpoint))
	known := `{"` + base64.RawURLEncoding.EncodeToString(hash[:]) + `":["book_sold"]}`
	ada.open("/notifications").shows(200, `data-known="`+known+`"`).lacks("a-secret")
	ada.send("/logout").shows(200)
	ada.send("/login", "email", "ada@campus.edu", "password", authkit.Password, "next", "/mine").shows(200, "Sign out")
	ada.open("/notifications").shows(200, `data-known="{}"`)
}

func TestQuietHoursAreSetWithoutAScript(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	ada.open("/notifications").shows(200, `name="from" value=""`)
	ada.send("/notifications/quiet", "from", "22:30", "to", "07:05").shows(200, "Your quiet hours were saved.", `name="from" value="22:30"`, `name="to" value="07:05"`)
	ada.send("/notifications/quiet", "from", "25:00", "to", "07:00").shows(400, "These are no times of a day.")
	ada.send("/notifications/quiet", "from", "", "to", "07:00").shows(200, `name="from" value=""`)
}

func TestTheServiceWorkerControlsTheWholeSiteAndKeepsAPageForStrangers(t *testing.T) {
	c := newCampus(t)
	script := c.visitor().open("/sw.js").shows(200, `const files = ["/offline","/static/octavo.css?v=`, "notificationclick")
	if policy := script.header.Get("Content-Security-Policy"); policy != "default-src 'none'; connect-src 'self'; img-src 'self'" {
		t.Errorf("its policy is %q", policy)
	}
	if kind := script.header.Get("Content-Type"); kind != "text/javascript; charset=utf-8" {
		t.Errorf("it is %s", kind)
	}
	c.visitor().open("/offline").shows(200, "You are offline", "There is no connection.")
}
