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

// soon is when people meet: so soon that the code counts.
func (w *marketFixture) soon() string {
	return w.Clock.Now().Add(30 * time.Minute).Format(time.RFC3339)
}

func (w *marketFixture) wantNext(order, who, what string) {
	w.t.Helper()
	if r := w.get("/api/user/getOrder/"+order, w.as("bob")).wantStatus(200, ""); r.text("next", "who") != who || r.text("next", "what") != what {
		w.t.Errorf("next is %s, want %s of %s", r.raw, what, who)
	}
}

func TestTwoPeopleMeetAndTheSellerConfirmsWithTheBuyersCode(t *testing.T) {
	w, order, place, admin := meets(t, meeting.Meet)
	w.wantNext(order, "either", "propose")
	if r := w.get("/api/user/getOrder/"+order, w.as("bob")); r.at("meeting") != nil {
		t.Errorf("without a proposal the order is %s, want no meeting", r.raw)
	}
	w.get("/api/user/getMeetingPlaces?orderId="+order, w.as("bob")).lists("<b>Library</b>")
	r := w.post("/api/user/proposeMeeting", w.as("ann"), object{"orderId": order, "placeId": place, "at": w.soon()}).wantStatus(201, "")
	w.wantNext(order, "buyer", "accept")
	proposal := r.text("meeting", "proposalId")
	if r.at("meeting", "accepted") != false || r.text("meeting", "place", "name") != "<b>Library</b>" || r.text("meeting", "by", "firstName") != "Ann" || r.at("meeting", "code") != nil {
		t.Errorf("the proposal is %s", r)
	}
	w.post("/api/user/acceptMeeting", w.as("ann"), object{"proposalId": proposal}).wantStatus(409, "meeting_own")
	code := w.post("/api/user/acceptMeeting", w.as("bob"), object{"proposalId": proposal}).wantStatus(200, "").text("meeting", "code")
	w.wantNext(order, "either", "meet")
	if got := w.get("/api/user/getOrder/"+order, w.as("bob")).text("meeting", "code"); got != code || len(code) != 9 {
		t.Errorf("the buyer's code is %q and %q, want one code of eight digits", code, got)
	}
	for _, path := range []string{"/api/user/getOrder/" + order, "/api/user/getOrders", "/api/user/getSoldBooks", "/api/user/getNotifications", "/api/dashboard/getTransactions"} {
		for name, token := range map[string]string{"ann": w.as("ann"), "dean": admin} {
			if r := w.get(path, token); strings.Contains(r.raw, code) {
				t.Errorf("%s reads the code at %s", name, path)
			}
		}
	}
	body := object{"orderId": order, "code": strings.ToLower(strings.ReplaceAll(code, "-", " "))}
	w.post("/api/user/confirmHandover", w.as("bob"), body).wantStatus(403, "handover_seller")
	r = w.post("/api/user/confirmHandover", w.as("ann"), body).wantStatus(200, "")
	if r.at("status") != 1.0 || r.text("handover", "by") != "meeting" || r.text("settlement") != "operator" || r.at("meeting", "accepted") != true || r.at("deliveredAt") != nil || r.at("lapsesAt") != nil || r.at("charge") != nil {
		t.Errorf("after the hand-over the order is %s", r)
	}
	w.wantNext(order, "admin", "settle")
	w.post("/api/user/confirmHandover", w.as("ann"), body).wantStatus(409, "order_transition")
	for _, who := range []string{"ann", "bob"} {
		w.post("/api/books/cancelOrder", w.as(who), object{"orderId": order, "reason": "because"}).wantStatus(409, "handed_over")
	}
	w.settles(order, admin)
	w.post("/api/user/rateOrder", w.as("bob"), object{"orderId": order, "asDescribed": true}).wantStatus(200, "")
}

// settles has an admin settle what was handed over.
func (w *marketFixture) settles(order, admin string) {
	w.t.Helper()
	listed := w.get("/api/dashboard/getTransactions?status=1", admin).wantStatus(200, "").at(0).(map[string]any)
	charge, pay := listed["charge"].(map[string]any), listed["pay"].(map[string]any)
	if charge["amount"] != listed["total"] || charge["from"] == "" || pay["amount"] != listed["price"] || pay["to"] == "" {
		w.t.Errorf("the admin reads %v", listed)
	}
	one := object{"bookId": listed["bookId"]}
	w.post("/api/dashboard/settleOrder", w.as("ann"), one).wantStatus(403, "forbidden")
	if r := w.post("/api/dashboard/settleOrder", admin, one).wantStatus(200, ""); r.at("status") != 3.0 || r.at("next") != nil || r.text("handover", "by") != "meeting" || r.text("id") != order {
		w.t.Errorf("settled: %s", r)
	}
	w.post("/api/dashboard/settleOrder", admin, one).wantStatus(409, "not_handed_over")
}

func TestACodeBeforeItsTimeSaysFromWhenItCounts(t *testing.T) {
	w, order, place, _ := meets(t, meeting.Meet)
	at := w.Clock.Now().Add(48 * time.Hour)
	proposal := w.post("/api/user/proposeMeeting", w.as("ann"), object{"orderId": order, "placeId": place, "at": at.Format(time.RFC3339)}).wantStatus(201, "").text("meeting", "proposalId")
	code := w.post("/api/user/acceptMeeting", w.as("bob"), object{"proposalId": proposal}).wantStatus(200, "").text("meeting", "code")
	r := w.post("/api/user/confirmHandover", w.as("ann"), object{"orderId": order, "code": code}).wantStatus(409, "handover_early")
	if from := at.Add(-time.Hour).UTC().Format("2006-01-02 15:04"); !strings.Contains(r.raw, from) {
		t.Errorf("%s does not say %s", r.raw, from)
	}
}

func TestMeetingsOfOthersDoNotExist(t *testing.T) {
	w, order, place, admin := meets(t, meeting.Both)
	w.wantNext(order, "seller", "hand_in")
	proposal := w.post("/api/user/proposeMeeting", w.as("ann"), object{"orderId": order, "placeId": place, "at": w.soon()}).wantStatus(201, "").text("meeting", "proposalId")
	for _, token := range []string{w.as("eve"), admin} {
		w.post("/api/user/proposeMeeting", token, object{"orderId": order, "placeId": place, "at": w.soon()}).wantStatus(404, "order_not_found")
		w.post("/api/user/acceptMeeting", token, object{"proposalId": proposal}).wantStatus(404, "meeting_not_found")
		w.post("/api/user/confirmHandover", token, object{"orderId": order, "code": "7K3N-Q0ZD"}).wantStatus(404, "order_not_found")
	}
	w.get("/api/user/getMeetingPlaces?orderId="+order, w.as("eve")).wantStatus(404, "order_not_found")
	for _, id := range []string{"999", "x", "-1", "0", "9223372036854775808"} {
		w.post("/api/user/acceptMeeting", w.as("bob"), object{"proposalId": id}).wantStatus(404, "meeting_not_found")
		w.post("/api/user/proposeMeeting", w.as("bob"), object{"orderId": order, "placeId": id, "at": w.soon()}).wantStatus(404, "place_not_found")
		w.post("/api/dashboard/removePlace", admin, object{"placeId": id}).wantStatus(404, "place_not_found")
		w.post("/api/dashboard/savePlace", admin, object{"placeId": id, "university": "x", "name": "x", "hours": "x"}).wantStatus(404, "place_not_found")
	}
	for _, path := range []string{"getMeetingPlaces", "savePlace", "removePlace"} {
		if path == "getMeetingPlaces" {
			w.get("/api/dashboard/"+path, w.as("bob")).wantStatus(403, "forbidden")
			continue
		}
		w.post("/api/dashboard/"+path, w.as("bob"), object{"placeId": place, "university": "x", "name": "x", "hours": "x"}).wantStatus(403, "forbidden")
	}
}

func TestWrongCodesAreRefusedAndLimited(t *testing.T) {
	w, order, place, _ := meets(t, meeting.Meet)
	w.post("/api/user/confirmHandover", w.as("ann"), object{"orderId": order, "code": "0000-0000"}).wantStatus(409, "meeting_not_accepted")
	proposal := w.post("/api/user/proposeMeeting", w.as("bob"), object{"orderId": order, "placeId": place, "at": w.soon()}).wantStatus(201, "").text("meeting", "proposalId")
	w.post("/api/user/acceptMeeting", w.as("ann"), object{"proposalId": proposal}).wantStatus(200, "")
	for _, bad := range []any{"", "123", "7K3N-Q0ZU", nil, 7} {
		if r := w.post("/api/user/confirmHandover", w.as("ann"), object{"orderId": order, "code": bad}).wantStatus(400, ""); r.fields()["code"] == nil {
			t.Errorf("%v answered %s, want the field named", bad, r.raw)
		}
	}
	for range 5 {
		if r := w.post("/api/user/confirmHandover", w.as("ann"), object{"orderId": order, "code": "0000-0000"}).wantStatus(400, "handover_code"); r.fields()["code"] == nil {
			t.Errorf("answered %s, want the field named", r.raw)
		}
	}
	r := w.post("/api/user/confirmHandover", w.as("ann"), object{"orderId": order, "code": "0000-0000"}).wantStatus(429, "handover_wait")
	if r.header.Get("Retry-After") == "" {
		t.Errorf("there is no Retry-After: %s", r)
	}
}

func TestAProposalNamesEveryInvalidField(t *testing.T) {
	w, order, place, _ := meets(t, meeting.Both)
	r := w.post("/api/user/proposeMeeting", w.as("bob"), object{"orderId": order, "placeId": "", "at": "tomorrow"}).wantStatus(400, "invalid_fields")
	if r.fields()["placeId"] == nil || r.fields()["at"] == nil {
		t.Errorf("answered %s, want both fields", r.raw)
	}
	past := object{"orderId": order, "placeId": place, "at": "2020-01-01T00:00:00Z"}
	if r := w.post("/api/user/proposeMeeting", w.as("bob"), past).wantStatus(400, "meeting_time"); r.fields()["at"] == nil {
		t.Errorf("answered %s, want the field", r.raw)
	}
	w.post("/api/user/proposeMeeting", "", past).wantStatus(401, "unauthenticated")
}

func TestNobodyMeetsWhereThereIsOnlyTheDesk(t *testing.T) {
	w, order, place, _ := meets(t, meeting.Desk)
	w.wantNext(order, "seller", "hand_in")
	w.post("/api/user/proposeMeeting", w.as("bob"), object{"orderId": order, "placeId": place, "at": w.soon()}).wantStatus(409, "meetings_off")
	w.post("/api/user/acceptMeeting", w.as("bob"), object{"proposalId": "1"}).wantStatus(409, "meetings_off")
	w.post("/api/user/confirmHandover", w.as("ann"), object{"orderId": order, "code": "0000-0000"}).wantStatus(409, "meetings_off")
	w.get("/api/user/getMeetingPlaces?orderId="+order, w.as("bob")).wantStatus(409, "meetings_off")
}

func TestAdminsListAndRemovePlaces(t *testing.T) {
	w, order, place, admin := meets(t, meeting.Both)
	if r := w.get("/api/dashboard/getMeetingPlaces", admin).lists("<b>Library</b>"); r.text(0, "id") != place {
		t.Errorf("the places are %s, want %s", r.raw, place)
	}
	w.post("/api/dashboard/removePlace", admin, object{"placeId": place}).wantStatus(200, "")
	w.get("/api/user/getMeetingPlaces?orderId="+order, w.as("bob")).lists()
}
