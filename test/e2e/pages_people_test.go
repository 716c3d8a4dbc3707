package e2e_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
)

// meet has the seller and the buyer agree to meet about one book, and the seller propose it about
// another.
func (c *campus) meet(ada, ben, staff e2e.Client) {
	c.t.Helper()
	var place struct{ ID string }
	staff.Must(c.t, http.StatusOK, "POST", "/api/dashboard/savePlace", map[string]any{
		"university": demoUniversity, "name": "Rush Rhees Library, main entrance", "hours": "Every day, 8:00–22:00", "directions": "Under the clock, on the side of the quad.\nBus 18 stops there.",
	}).Data(c.t, &place)
	for _, state := range []string{"proposed", "meets", "settle"} {
		id := ada.Post(c.t, map[string]string{"proposed": "The Feynman Lectures on Physics", "meets": "Abstract Algebra", "settle": "Real and Complex Analysis"}[state], "PHY 113")
		ben.Must(c.t, http.StatusCreated, "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{id}})
		c.orders[state] = c.orderOf(ben, id)
		at := time.Now().Add(26 * time.Hour)
		if state == "settle" {
			at = time.Now().Add(30 * time.Minute) // so soon that the code counts
		}
		var o orderWithMeeting
		ada.Must(c.t, http.StatusCreated, "POST", "/api/user/proposeMeeting", map[string]any{
			"orderId": c.orders[state].ID, "placeId": place.ID, "at": at.UTC().Format(time.RFC3339),
		}).Data(c.t, &o)
		if state == "proposed" {
			continue
		}
		ben.Must(c.t, http.StatusOK, "POST", "/api/user/acceptMeeting", map[string]any{"proposalId": o.Meeting.ProposalID}).Data(c.t, &o)
		if state == "settle" {
			ada.Must(c.t, http.StatusOK, "POST", "/api/user/confirmHandover", map[string]any{"orderId": c.orders[state].ID, "code": *o.Meeting.Code})
		}
	}
}

// study has the seller take a course of a past term, and the buyer one of this term.
func (c *campus) study(ada, ben, staff e2e.Client) {
	c.t.Helper()
	const file = "course,title,isbn,name,edition\nMTH 165,Linear Algebra with Differential Equations,9783319110790,Linear Algebra and Its Applications,5\n" +
		"CHM 201,Organic Chemistry I,9780321956606,\"Organic Chemistry: Structure, Mechanism and Synthesis\",4\nENG 112,Reading the City,,,\nCSC 172,Data Structures and Algorithms,9780262033848,Introduction to Algorithms,3\n"
	for _, term := range []struct {
		name string
		who  e2e.Client
	}{{"2026-spring", ada}, {"2026-fall", ben}} {
		uploadCoursesOf(c.t, staff, demoUniversity, term.name, file)
		var found []struct{ ID string }
		term.who.Must(c.t, http.StatusOK, "GET", "/api/user/getCourses", nil).Data(c.t, &found)
		term.who.Must(c.t, http.StatusOK, "POST", "/api/user/setMyCourses", map[string]any{"courses": []string{found[0].ID, found[1].ID, found[2].ID}})
	}
}

// uploadCoursesOf uploads the courses of a university and term and returns the answer.
func uploadCoursesOf(t *testing.T, by e2e.Client, university, term, file string) string {
	t.Helper()
	query := url.Values{"university": {university}, "term": {term}}.Encode()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, by.URL+"/api/dashboard/importCourses?"+query, strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "text/csv")
	req.Header.Set("Authorization", "Bearer "+by.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the upload answers %d %s, %v, want 200", resp.StatusCode, body, err)
	}
	return string(body)
}
