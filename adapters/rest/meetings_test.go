package rest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/user"
)

// meets returns a market where people meet, with an order of Bob from Ann, a place and an
// admin.
func meets(t *testing.T, mode meeting.Mode) (w *marketFixture, order, place, admin string) {
	t.Helper()
	w = newMarketFixtureIn(t, rest.Default(), mode)
	admin = w.promoted("dean", user.Admin)
	w.bought("ann", "bob")
	university := w.get("/api/getUserData", w.as("bob")).text("university")
	place = w.post("/api/dashboard/savePlace", admin, object{"university": university, "name": "<b>Library</b>", "hours": "8–20"}).wantStatus(200, "").text("id")
	return w, w.ordered(), place, admin
}

// in is when people meet: the code counts from an hour before.
func (w *marketFixture) in(d time.Duration) string { return w.Clock.Now().Add(d).Format(time.RFC3339) }

// agreed has Ann propose a meeting and Bob accept it, and returns his code.
func (w *marketFixture) agreed(order, place, at string) (code string) {
	w.t.Helper()
	r := w.post("/api/user/proposeMeeting", w.as("ann"), object{"orderId": order, "placeId": place, "at": at}).wantStatus(201, "")
	if r.at("meeting", "accepted") != false || r.text("meeting", "place", "name") != "<b>Library</b>" || r.text("meeting", "by", "firstName") != "Ann" || r.at("meeting", "code") != nil ||
		r.text("next", "who") != "buyer" || r.text("next", "what") != "accept" {
		w.t.Errorf("the proposal is %s", r)
	}
	proposal := object{"proposalId": r.text("meeting", "proposalId")}
	w.refuses(refusal{"ann", "/api/user/acceptMeeting", proposal, 409, "meeting_own", ""}, refusal{"eve", "/api/user/acceptMeeting", proposal, 404, "meeting_not_found", ""})
	r = w.post("/api/user/acceptMeeting", w.as("bob"), proposal).wantStatus(200, "")
	if code = r.text("meeting", "code"); len(code) != 9 || r.text("next", "who") != "either" || r.text("next", "what") != "meet" {
		w.t.Errorf("the agreed meeting is %s, want one code of eight digits", r)
	}
	return code
}

func TestTwoPeopleMeetAndTheSellerConfirmsWithTheBuyersCode(t *testing.T) {
	w, order, place, admin := meets(t, meeting.Meet)
	if r := w.get("/api/user/getOrder/"+order, w.as("bob")); r.at("meeting") != nil || r.text("next", "who") != "either" || r.text("next", "what") != "propose" {
		t.Errorf("without a proposal the order is %s, want no meeting", r.raw)
	}
	w.get("/api/user/getMeetingPlaces?orderId="+order, w.as("bob")).lists("<b>Library</b>")
	code := w.agreed(order, place, w.in(30*time.Minute))
	for _, path := range []string{"/api/user/getOrder/" + order, "/api/user/getOrders", "/api/user/getSoldBooks", "/api/user/getNotifications", "/api/dashboard/getTransactions"} {
		for name, token := range map[string]string{"ann": w.as("ann"), "dean": admin} {
			if r := w.get(path, token); strings.Contains(r.raw, code) {
				t.Errorf("%s reads the code at %s", name, path)
			}
		}
	}
	body := object{"orderId": order, "code": strings.ToLower(strings.ReplaceAll(code, "-", " "))}
	w.refuses(refusal{"bob", "/api/user/confirmHandover", body, 403, "handover_seller", ""})
	r := w.post("/api/user/confirmHandover", w.as("ann"), body).wantStatus(200, "")
	if r.at("status") != 1.0 || r.text("handover", "by") != "meeting" || r.text("settlement") != "operator" || r.at("meeting", "accepted") != true || r.at("deliveredAt") != nil || r.at("lapsesAt") != nil || r.at("charge") != nil {
		t.Errorf("after the hand-over the order is %s", r)
	}
	if r := w.get("/api/user/getOrder/"+order, w.as("bob")); r.text("next", "who") != "admin" || r.text("next", "what") != "settle" {
		t.Errorf("next is %s", r)
	}
	w.refuses(
		refusal{"ann", "/api/user/confirmHandover", body, 409, "order_transition", ""},
		refusal{"bob", "/api/books/cancelOrder", object{"orderId": order, "reason": "because"}, 409, "handed_over", ""},
	)
	w.settles(order, admin)
	w.post("/api/user/rateOrder", w.as("bob"), object{"orderId": order, "asDescribed": true}).wantStatus(200, "")
}

// settles has an admin settle what was handed over.
func (w *marketFixture) settles(order, admin string) {
	w.t.Helper()
	listed := w.get("/api/dashboard/getTransactions?status=1", admin).wantStatus(200, "").at(0).(object)
	charge, pay := listed["charge"].(object), listed["pay"].(object)
	if charge["amount"] != listed["total"] || charge["from"] == "" || pay["amount"] != listed["price"] || pay["to"] == "" {
		w.t.Errorf("the admin reads %v", listed)
	}
	if r := w.post("/api/dashboard/settleOrder", admin, object{"bookId": listed["bookId"]}).wantStatus(200, ""); r.at("status") != 3.0 || r.at("next") != nil || r.text("handover", "by") != "meeting" || r.text("id") != order {
		w.t.Errorf("settled: %s", r)
	}
}

func TestACodeIsRefusedBeforeItsTimeOrIfItIsWrong(t *testing.T) {
	w, order, place, _ := meets(t, meeting.Meet)
	const path = "/api/user/confirmHandover"
	w.refuses(refusal{"ann", path, object{"orderId": order, "code": "0000-0000"}, 409, "meeting_not_accepted", ""})
	at := w.Clock.Now().Add(48 * time.Hour)
	code := w.agreed(order, place, at.Format(time.RFC3339))
	r := w.post(path, w.as("ann"), object{"orderId": order, "code": code}).wantStatus(409, "handover_early")
	if from := at.Add(-time.Hour).UTC().Format("2006-01-02 15:04"); !strings.Contains(r.raw, from) || strings.Contains(r.raw, "UTC") {
		t.Errorf("%s does not say %s", r.raw, from)
	}
	for _, bad := range []any{"", "123", "7K3N-Q0ZU", nil, 7} {
		w.refuses(refusal{"ann", path, object{"orderId": order, "code": bad}, 400, "", "code"})
	}
	w.agreed(order, place, w.in(30*time.Minute))
	for range 5 {
		w.refuses(refusal{"ann", path, object{"orderId": order, "code": "0000-0000"}, 400, "handover_code", "code"})
	}
	if r := w.post(path, w.as("ann"), object{"orderId": order, "code": "0000-0000"}).wantStatus(429, "handover_wait"); r.header.Get("Retry-After") == "" {
		t.Errorf("there is no Retry-After: %s", r)
	}
}

func TestAMeetingIsRefusedWithItsReason(t *testing.T) {
	w, order, place, _ := meets(t, meeting.Both)
	proposal := object{"orderId": order, "placeId": place, "at": w.in(time.Hour)}
	w.refuses(
		refusal{"eve", "/api/user/proposeMeeting", proposal, 404, "order_not_found", ""},
		refusal{"eve", "/api/user/confirmHandover", object{"orderId": order, "code": "7K3N-Q0ZD"}, 404, "order_not_found", ""},
		refusal{"eve", "/api/user/getMeetingPlaces?orderId=" + order, nil, 404, "order_not_found", ""},
		refusal{"bob", "/api/user/proposeMeeting", with(proposal, "placeId", "", "at", "tomorrow"), 400, "invalid_fields", "at"},
		refusal{"bob", "/api/user/proposeMeeting", with(proposal, "at", "2020-01-01T00:00:00Z"), 400, "meeting_time", "at"},
	)
	for _, id := range noIDs {
		w.refuses(
			refusal{"bob", "/api/user/acceptMeeting", object{"proposalId": id}, 404, "meeting_not_found", ""},
			refusal{"bob", "/api/user/proposeMeeting", with(proposal, "placeId", id), 404, "place_not_found", ""},
			refusal{"dean", "/api/dashboard/removePlace", object{"placeId": id}, 404, "place_not_found", ""},
			refusal{"dean", "/api/dashboard/savePlace", object{"placeId": id, "university": "x", "name": "x", "hours": "x"}, 404, "place_not_found", ""},
		)
	}
	w.get("/api/dashboard/getMeetingPlaces", w.as("dean")).lists("<b>Library</b>")
	w.post("/api/dashboard/removePlace", w.as("dean"), object{"placeId": place}).wantStatus(200, "")
	w.get("/api/user/getMeetingPlaces?orderId="+order, w.as("bob")).lists()
}

func TestAPlaceLosesItsOpeningHours(t *testing.T) {
	w, _, place, _ := meets(t, meeting.Both)
	library := object{"placeId": place, "university": "Rochester", "name": "Library", "hours": "see the door", "openingHours": "Mo-Fr 08:00-20:00"}
	w.post("/api/dashboard/savePlace", w.as("dean"), library).wantStatus(200, "")
	r := w.post("/api/dashboard/savePlace", w.as("dean"), with(library, "openingHours", "")).wantStatus(200, "")
	if r.at("openingHours") != "" {
		t.Errorf("it is open %v", r.at("openingHours"))
	}
}

func TestNobodyMeetsWhereThereIsOnlyTheDesk(t *testing.T) {
	w, order, place, _ := meets(t, meeting.Desk)
	w.refuses(
		refusal{"bob", "/api/user/proposeMeeting", object{"orderId": order, "placeId": place, "at": w.in(time.Hour)}, 409, "meetings_off", ""},
		refusal{"bob", "/api/user/acceptMeeting", object{"proposalId": "1"}, 409, "meetings_off", ""},
		refusal{"ann", "/api/user/confirmHandover", object{"orderId": order, "code": "0000-0000"}, 409, "meetings_off", ""},
		refusal{"bob", "/api/user/getMeetingPlaces?orderId=" + order, nil, 409, "meetings_off", ""},
	)
}
