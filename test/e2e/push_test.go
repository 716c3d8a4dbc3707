package e2e_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/pushservice"
)

// pushKey is the key with which a program signs what it pushes.
func pushKey(t *testing.T, c e2e.Client) string {
	t.Helper()
	var answer struct{ Key string }
	c.Must(t, 200, "GET", "/api/user/getPushKey", nil).Data(t, &answer)
	return answer.Key
}

// subscribe lets the browser of a push service show a person's notifications.
func subscribe(t *testing.T, c e2e.Client, service *pushservice.Service, path string) {
	t.Helper()
	service.Expect(pushKey(t, c))
	p256dh, auth := service.Keys()
	c.Must(t, 201, "POST", "/api/user/addPushSubscription", map[string]any{
		"endpoint": service.URL + path, "keys": map[string]string{"p256dh": p256dh, "auth": auth},
		"kinds": []string{"message_received", "book_sold"},
	})
}

// shown is what a browser shows of a message.
type shown struct {
	Title, Body, URL, Tag string
	Unread                int
}

// awaitPushed waits for as many messages, and returns what a browser shows of them.
func awaitPushed(t *testing.T, service *pushservice.Service, n int) (all []pushservice.Message, read []shown) {
	t.Helper()
	poll.For(t, "the messages of the push service", func() bool {
		all = append(all, service.Messages()...)
		return len(all) >= n
	})
	for _, m := range all {
		var s shown
		if err := json.Unmarshal([]byte(m.Text), &s); err != nil {
			t.Fatalf("%q: %v", m.Text, err)
		}
		read = append(read, s)
	}
	return all, read
}

func TestNotificationsReachABrowserUntilItsUserSignsOut(t *testing.T) {
	t.Parallel()
	s, service := e2e.Start(t), pushservice.Start(t)
	ada, ben := s.Student("ada@campus.edu", "Ada"), s.Student("ben@campus.edu", "Ben")
	library := s.Login("ada@campus.edu")
	subscribe(t, ada, service, "/phone")
	subscribe(t, library, service, "/library")
	id := ada.Post(t, "Topology", "MTH 440") // of no chosen kind
	ben.Must(t, 201, "POST", "/api/user/sendMessage", map[string]any{"bookId": id, "text": "Is it there?"})
	messages, read := awaitPushed(t, service, 2)
	for i, m := range messages {
		if read[i].Title != "Octavo" || read[i].Body != "You have a new message about “Topology”." || !strings.HasPrefix(read[i].URL, "/conversation?id=") || read[i].Unread != 3 ||
			m.Header.Get("Ttl") != "86400" || m.Header.Get("Urgency") != "normal" || len(m.Header.Get("Topic")) != 32 {
			t.Errorf("the browser got %q with %v", m.Text, m.Header)
		}
	}

	library.Must(t, 200, "POST", "/api/auth/logout", nil)
	s.Kill()
	s.Restart() // with the same key
	ben.Must(t, 201, "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{id}})
	messages, read = awaitPushed(t, service, 1)
	if len(messages) != 1 || messages[0].Path != "/phone" || !strings.Contains(read[0].Body, "has been bought") || !strings.HasPrefix(read[0].URL, "/order?id=") {
		t.Errorf("after signing out there, pushed were %q", messages)
	}

	service.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	ada.Must(t, 200, "POST", "/api/user/markNotificationsRead", nil)
	ben.Must(t, 201, "POST", "/api/user/sendMessage", map[string]any{"bookId": id, "text": "When?"})
	awaitPushed(t, service, 1)
	poll.For(t, "the program to forget the browser", func() bool { return strings.Contains(controlOf(t, ada), `data-known="{}"`) })
}

// controlOf is the page on which people let browsers show notifications.
func controlOf(t *testing.T, c e2e.Client) string {
	t.Helper()
	req := must.Get(http.NewRequest(http.MethodGet, c.URL+"/notifications", nil))(t)
	req.AddCookie(&http.Cookie{Name: "octavo_access", Value: c.Token})
	answer := must.Get(http.DefaultClient.Do(req))(t)
	defer answer.Body.Close()
	return string(must.Get(io.ReadAll(answer.Body))(t))
}

// aPushService makes the page's script subscribe at a push service of ours, with the permission of its user: the test's browser
// knows no service, and gives no permission.
const aPushService = `(() => {
	const made = () => sessionStorage.pushKey && {
		endpoint: ENDPOINT, toJSON: () => ({ endpoint: ENDPOINT, keys: { p256dh: P256DH, auth: AUTH } }),
		options: { applicationServerKey: Uint8Array.from(atob(sessionStorage.pushKey), (c) => c.charCodeAt(0)).buffer },
		unsubscribe: async () => { delete sessionStorage.pushKey; return true; },
	};
	PushManager.prototype.getSubscription = async () => made() || null;
	PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
		if (!userVisibleOnly) throw new Error("not visible");
		sessionStorage.pushKey = btoa(String.fromCharCode(...applicationServerKey));
		return made();
	};
	Object.defineProperty(Notification, "permission", { get: () => sessionStorage.asked ? "granted" : "default" });
	Notification.requestPermission = async () => { sessionStorage.asked = "yes"; return "granted"; };
})()`

// aWorker runs the service worker in the page, which is told of a message and of a click on it.
const aWorker = `(() => {
	const on = {}, self = {
		addEventListener: (name, listener) => { on[name] = listener; },
		registration: { showNotification: async (title, options) => { self.shown = [title, options]; } },
		navigator: { setAppBadge: async (n) => { self.badge = n; } },
		clients: { matchAll: async () => [], openWindow: async (url) => { self.opened = url; } },
	};
	((self) => { SCRIPT })(self);
	let done;
	on.push({ data: { json: () => (MESSAGE) }, waitUntil: (p) => { done = p; } });
	done.then(() => {
		on.notificationclick({ notification: { close: () => {}, data: self.shown[1].data }, waitUntil: (p) => { done = p; } });
		return done;
	}).then(() => { window.worked = JSON.stringify([self.shown, self.badge, self.opened]); });
	return "";
})()`

// pushesTo lets the pages subscribe at a service.
func (b *tab) pushesTo(service *pushservice.Service) {
	b.t.Helper()
	quoted := func(text string) string { return string(must.Get(json.Marshal(text))(b.t)) }
	p256dh, auth := service.Keys()
	script := strings.NewReplacer("ENDPOINT", quoted(service.URL+"/chromium"), "P256DH", quoted(p256dh), "AUTH", quoted(auth)).Replace(aPushService)
	must.Do(b.t, must.Err(chromedp.Call(b.ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: script})))
}

func TestABrowserIsLetShowNotificationsAndShowsAPageWithoutAConnection(t *testing.T) {
	t.Parallel()
	deep.NotShort(t, "a browser takes long")
	s, service := e2e.Start(t), pushservice.Start(t)
	ada, ben := s.Student("ada@campus.edu", "Ada"), s.Student("ben@campus.edu", "Ben")
	service.Expect(pushKey(t, ada))
	id := ada.Post(t, "Topology", "MTH 440")
	b := openBrowserThat(t, s.URL, func(m chromedp.ConsoleMessage) bool { return strings.Contains(m.Text, "net::ERR_") })
	b.pushesTo(service)
	b.signIn("ada@campus.edu")
	b.open("/notifications")
	b.do(chromedp.Click(chromedp.CSS("#push summary")))
	b.text("They are off.")
	b.accessible("notifications_off")
	b.do(chromedp.Click(chromedp.CSS("#push button[data-when=off]")))
	b.text("They are on, until you sign out here.")
	b.accessible("notifications_on")

	ben.Must(t, 201, "POST", "/api/user/sendMessage", map[string]any{"bookId": id, "text": "Is it there?"})
	messages, read := awaitPushed(t, service, 1)
	script := string(ada.Must(t, 200, "GET", "/sw.js", nil).Body)
	worker := strings.NewReplacer("SCRIPT", script, "MESSAGE", messages[0].Text).Replace(aWorker)
	must.Do(t, must.Err(chromedp.Run(b.ctx, chromedp.Evaluate[string](worker))))
	b.await("window.worked ?? ''", `["Octavo",{"body":"You have a new message about “Topology”."`)
	b.await("window.worked", s.URL+read[0].URL)

	b.await(`String(navigator.serviceWorker.controller?.state)`, "activated")
	s.Kill()
	b.do(chromedp.Navigate(s.URL + "/sell"))
	b.text("You are offline")
	b.header("Sign in")                                                                                      // as a stranger sees it
	b.await(`getComputedStyle(document.querySelector(".visually-hidden, .skip-link")).position`, "absolute") // with its style sheet
	s.Restart()

	b.open("/notifications")
	b.do(chromedp.Click(chromedp.CSS("form[action='/logout'] button")))
	b.text("You are signed out")
	b.await(`String(sessionStorage.pushKey)`, "undefined")
}
