package rest_test

import (
	"testing"
)

// aBrowser is what PushSubscription.toJSON returns.
func aBrowser(endpoint string, pairs ...any) object {
	return with(object{"endpoint": endpoint, "expirationTime": nil, "keys": object{
		"p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", "auth": "BTBZMqHH6r4Tts7J_aSIgg",
	}}, pairs...)
}

func TestABrowserSubscribesAndUnsubscribesOverTheAPI(t *testing.T) {
	w := newMarketFixture(t)
	key := w.get("/api/user/getPushKey", w.as("ann")).wantStatus(200, "").text("key")
	if again := w.get("/api/user/getPushKey", w.as("bob")).wantStatus(200, "").text("key"); len(key) != 87 || again != key {
		t.Errorf("the keys are %q and %q", key, again)
	}
	w.get("/api/user/getPushKey", "").wantStatus(401, "unauthenticated")
	first := w.post("/api/user/addPushSubscription", w.as("ann"), aBrowser("https://push.example.net/1", "kinds", []string{"message_received"})).wantStatus(201, "")
	again := w.post("/api/user/addPushSubscription", w.as("ann"), aBrowser("https://push.example.net/1")).wantStatus(201, "")
	if first.text("id") == "" || again.text("id") != first.text("id") || first.method != "/api/user/addPushSubscription" {
		t.Errorf("the answers are %s and %s", first, again)
	}
	for range 2 {
		w.post("/api/user/removePushSubscription", w.as("ann"), object{"endpoint": "https://push.example.net/1"}).wantStatus(200, "")
	}
	w.post("/api/user/removePushSubscription", "", object{"endpoint": "https://push.example.net/1"}).wantStatus(401, "unauthenticated")
}

func TestEveryFaultOfASubscriptionIsNamedAtOnce(t *testing.T) {
	w := newMarketFixture(t)
	body := aBrowser("http://push.example.net/1", "kinds", []string{"weather"})
	body["keys"] = object{"p256dh": "BCVx", "auth": "short"}
	refused := w.post("/api/user/addPushSubscription", w.as("ann"), body).wantStatus(400, "")
	for _, field := range []string{"endpoint", "keys.p256dh", "keys.auth", "kinds"} {
		if refused.text("fields", field) == "" {
			t.Errorf("%s is not named: %s", field, refused)
		}
	}
	for _, missing := range []string{"endpoint", "keys"} {
		body := aBrowser("https://push.example.net/1")
		delete(body, missing)
		if refused := w.post("/api/user/addPushSubscription", w.as("ann"), body).wantStatus(400, "invalid_fields"); refused.text("fields", missing) == "" {
			t.Errorf("%s is not named: %s", missing, refused)
		}
	}
	half := aBrowser("https://push.example.net/1")
	half["keys"] = object{"p256dh": 5}
	refused = w.post("/api/user/addPushSubscription", w.as("ann"), half).wantStatus(400, "invalid_fields")
	if refused.text("fields", "keys.p256dh") == "" || refused.text("fields", "keys.auth") == "" {
		t.Errorf("not all is named: %s", refused)
	}
}
