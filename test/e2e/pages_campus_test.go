package e2e_test

import (
	"encoding/base32"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/totp"
	"github.com/octavo-books/octavo/test/e2e"
)

// campus is a small, busy market for looking at pages: the people of `octavo demo`, and some whose
// accounts are in the states that pages show.
type campus struct {
	service
	t      *testing.T
	people map[string]*person // by role, in cookie mode
	orders map[string]sale    // by what became of them
	links  map[string]string  // paths of mailed links, by kind of mail

	listed               []string // IDs of books for sale
	application, consent string   // the ID of one, and the path by which it asks for access
	machine              string   // the ID of one
	own                  string   // the ID of a book of the seller's
	reported, decided    string   // the IDs of an open report and of one that an admin has decided about
	problem              string   // the ID of a report about an order
	delivery             string   // the path of a webhook delivery
	talk                 string   // the ID of a conversation of buyer and seller
}

type sale struct{ ID, BookID string }

const (
	demoPassword   = "octavo demo campus"
	demoUniversity = "Northfield University"
)

// openCampus starts the program with a market in which every state of a sale occurs.
func openCampus(t *testing.T) *campus {
	t.Helper()
	u := newUniversity(t)
	target := newServer(t, pictureTarget{})
	s := e2e.StartWith(t, []string{behindProxy, "HANDOVER=both", "LIMIT_ACCOUNT_FAILURES=1/24h", "SUPPORT_MAIL=books@northfield.example.edu", "CAMPUS_TIMEZONE=America/New_York",
		"WEBHOOK_FORWARD=book.listed=" + target + "/search,user.created=" + target + "/tracker",
		signInWith(t, "- {name: campus, label: Northfield University, issuer: '"+u.URL+"', clientId: octavo, clientSecret: s}\n"), "SAML_PROVIDERS=" + federationFile(t)})
	s.Stop()
	if out, code := s.Octavo("demo", "--books", "300", "--users", "60", "--seed", "1"); code != 0 {
		t.Fatal(out)
	}
	s.Restart()
	c := &campus{service: service{s}, t: t, people: map[string]*person{}, orders: map[string]sale{}, links: map[string]string{}}
	c.enter("admin", "admin@northfield.example.edu", demoPassword)
	c.enter("owner", "owner@northfield.example.edu", demoPassword)
	c.openDesk()
	c.trade()
	c.openAccounts(u)
	c.listed = c.books("?limit=3")
	application := c.party(t)
	c.application, c.consent = application.id, strings.TrimPrefix(application.request(), c.URL)
	resource := printedBy(t, c.Server, "resource_id", "resources", "add", "Prices", "--identifier", "https://prices.example.edu", "--scope", "read,write")
	c.machine = printedBy(t, c.Server, "client_id", "clients", "add", "Robot", "--machine", "--resource", resource, "--scope", "read")
	c.delivery = deliveryLink.FindString(c.people["admin"].open("GET", "/webhooks", nil).body)
	return c
}

// enter signs a person in at the form.
func (c *campus) enter(role, email, password string) {
	c.t.Helper()
	p := c.newClient(c.t, byCookie)
	p.email = email
	shown := p.open("POST", "/login", url.Values{"email": {email}, "password": {password}, "next": {"/"}})
	if shown.status != http.StatusOK || shown.at.Path == "/login" && role != "half" {
		c.t.Fatalf("signing in %s: %d at %s: %s", email, shown.status, shown.at, shown.body)
	}
	c.people[role] = p
}

// student signs up, joins the university of the demo and signs in.
func (c *campus) student(role, firstName string) e2e.Client {
	c.t.Helper()
	email := strings.ToLower(firstName) + "@northfield.example.edu"
	api := c.Student(email, firstName)
	api.Must(c.t, 200, "POST", "/api/auth/updateProfile", map[string]any{"university": demoUniversity, "lastName": "Lindqvist-Marchetti"})
	c.enter(role, email, e2e.Password)
	return api
}

// submit sends a form and requires that it is accepted.
func (c *campus) submit(role, path string, pairs ...string) {
	c.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	shown := c.people[role].open("POST", path, form)
	if shown.status != http.StatusOK {
		c.t.Fatalf("POST %s as %s: %d: %s", path, role, shown.status, shown.body)
	}
}

func (c *campus) openDesk() {
	c.submit("owner", "/dashboard/desks", "university", demoUniversity, "place", "Rush Rhees Library, service desk on the ground floor",
		"hours", "Monday to Friday, 10:00–18:00", "notes", "Bring your student card.")
	c.submit("owner", "/dashboard/desks", "university", "Lakeside College", "place", "Student union, room 2.14", "hours", "Tuesday and Thursday, 12:00–14:00")
}

// trade makes a sale in each state between a seller and a buyer, and what they see beside it.
func (c *campus) trade() {
	ada, ben := c.student("seller", "Ada"), c.student("buyer", "Benedetta")
	c.student("newcomer", "Zoe")
	ben.Must(c.t, 201, "POST", "/api/books/requestBook", map[string]any{"name": "linear algebra", "course": "MTH 165", "maxPrice": 60})
	ben.Must(c.t, 201, "POST", "/api/books/requestBook", map[string]any{"name": "The Norton Anthology of World Literature, shorter edition", "course": "ENG 112"})
	for state, title := range map[string]string{
		"bought": "Fundamentals of Thermodynamics and Statistical Mechanics for Engineers", "verified": "Organic Chemistry", "delivered": "Microeconomics",
		"cancelled": "A History of Western Music", "refunded": "Discrete Mathematics", "review": "Campbell Biology",
	} {
		id := ada.Post(c.t, title, "CHM 201", "ISBN", "9780321956606")
		ben.Must(c.t, 201, "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{id}})
		c.orders[state] = c.orderOf(ben, id)
	}
	c.converse(ada, ben)
	staff := c.api("admin@northfield.example.edu", demoPassword)
	for _, state := range []string{"verified", "delivered", "refunded"} {
		staff.Must(c.t, 200, "POST", "/api/dashboard/confirmBook", map[string]string{"bookId": c.orders[state].BookID})
	}
	staff.Must(c.t, 200, "POST", "/api/dashboard/setBookPaid", map[string]string{"bookId": c.orders["delivered"].BookID})
	staff.Must(c.t, 200, "POST", "/api/dashboard/cancelTransaction", map[string]string{"bookId": c.orders["refunded"].BookID, "reason": "The pages 120 to 160 are missing."})
	ben.Must(c.t, 200, "POST", "/api/books/cancelOrder", map[string]string{"orderId": c.orders["cancelled"].ID, "reason": "I dropped the course."})
	c.own = ada.Post(c.t, "Linear Algebra and Its Applications", "MTH 165", "ISBN", "9783319110790")
	if status, _, err := addPhoto(ada, c.own, aPicture(c.t)); err != nil || status != 201 {
		c.t.Fatalf("a photo: %d, %v", status, err)
	}
	other := ada.Post(c.t, "Linear Algebra and Its Applications", "MTH 165", "ISBN", "9783319110790")
	for id, report := range map[string]*string{c.own: &c.reported, other: &c.decided} {
		var made struct{ ID string }
		ben.Must(c.t, 201, "POST", "/api/user/report", map[string]string{"bookId": id, "reason": "wrong", "text": "The pages 120 to 160 are missing."}).Data(c.t, &made)
		*report = made.ID
	}
	staff.Must(c.t, 200, "POST", "/api/dashboard/resolveReport", map[string]string{"reportId": c.decided, "action": "dismiss", "note": "They are there."})
	unlisted := ada.Post(c.t, "Principles of Neural Science", "BIO 301")
	ada.Must(c.t, 200, "POST", "/api/books/deleteBook", map[string]string{"bookId": unlisted})
	gone := ada.Post(c.t, "Calculus: Early Transcendentals", "MTH 161")
	for _, id := range append(c.books("?limit=2"), gone) {
		ben.Must(c.t, 200, "POST", "/api/user/addToCart", map[string]string{"bookId": id})
	}
	ada.Must(c.t, 200, "POST", "/api/books/deleteBook", map[string]string{"bookId": gone})
	c.meet(ada, ben, staff)
	var problem struct{ ID string }
	ben.Must(c.t, 201, "POST", "/api/user/report", map[string]string{"orderId": c.orders["settle"].ID, "reason": "wrong", "text": "The pages 120 to 160 are missing."}).Data(c.t, &problem)
	c.problem = problem.ID
	c.study(ada, ben, staff)
	c.links["match_found"] = strings.TrimPrefix(stopLink.FindString(c.Mail("benedetta@northfield.example.edu", "match_found").Text), c.URL)
}

// converse has the buyer and the seller write to each other.
func (c *campus) converse(ada, ben e2e.Client) {
	var sent struct{ ConversationID string }
	for _, m := range []struct {
		by   e2e.Client
		text string
	}{
		{ben, "Hello! Is the cover <b>really</b> as good as new?\nI would come by on Monday."}, {ada, "Yes, see https://photos.example.edu/thermodynamics?page=1&of=3"}, {ben, "Great."},
	} {
		m.by.Must(c.t, 201, "POST", "/api/user/sendMessage", map[string]string{"bookId": c.orders["bought"].BookID, "text": m.text}).Data(c.t, &sent)
	}
	c.talk = sent.ConversationID
}

func (c *campus) books(query string) (ids []string) {
	var all []struct{ ID string }
	e2e.Client{URL: c.URL}.Must(c.t, 200, "GET", "/api/books/getAllBooks"+query, nil).Data(c.t, &all)
	for _, b := range all {
		ids = append(ids, b.ID)
	}
	return ids
}

// orderOf returns the order of a book.
func (c *campus) orderOf(by e2e.Client, bookID string) sale {
	c.t.Helper()
	var all []sale
	by.Must(c.t, 200, "GET", "/api/user/getOrders?role=buyer", nil).Data(c.t, &all)
	for _, o := range all {
		if o.BookID == bookID {
			return o
		}
	}
	c.t.Fatalf("no order of the book %s in %v", bookID, all)
	return sale{}
}

// api logs in with a password.
func (c *campus) api(email, password string) e2e.Client {
	var session struct{ Token string }
	e2e.Client{URL: c.URL}.Must(c.t, 200, "POST", "/api/auth/login", map[string]string{"email": email, "password": password}).Data(c.t, &session)
	return e2e.Client{URL: c.URL, Token: session.Token}
}

// openAccounts makes the accounts whose pages begin with a mail or a half-finished sign-in.
func (c *campus) openAccounts(u *university) {
	c.t.Helper()
	guest := c.member(c.t, byCookie, "guest") // an account without a student profile
	c.people["guest"] = guest
	c.enter("guest", guest.email, password)
	c.submit("owner", "/dashboard/people/invite", "email", "invited@northfield.example.edu", "lang", "en")
	c.keepLink("invited@northfield.example.edu", "invitation")
	c.Student("fresh@northfield.example.edu", "Fresh")
	e2e.Client{URL: c.URL}.Must(c.t, 201, "POST", "/api/auth/signup", map[string]any{"email": "unconfirmed@northfield.example.edu", "password": e2e.Password,
		"firstName": "Ursula", "lastName": "Quist", "university": demoUniversity, "campusMailbox": "1", "paymentUsername": "u"})
	c.keepLink("unconfirmed@northfield.example.edu", "verification")

	mover := c.member(c.t, byBearer, "mover")
	mover.must(reprove, vars{"p": password})
	mover.must(`mutation { changeEmail(newEmail: "moved@northfield.example.edu") }`, nil)
	c.keepLink(mover.email, "email_changed")
	leaver := c.member(c.t, byBearer, "leaver")
	leaver.must(reprove, vars{"p": password})
	leaver.must(`mutation { deleteMyAccount }`, nil)
	c.keepLink(leaver.email, "account_deletion")

	besieged := c.member(c.t, byBearer, "besieged")
	for range 3 {
		stranger := c.newClient(c.t, byBearer)
		stranger.run(signIn, vars{"e": besieged.email, "p": "guess guess guess"})
	}
	stranger := c.newClient(c.t, byBearer)
	stranger.run(signIn, vars{"e": besieged.email, "p": password})
	c.keepLink(besieged.email, "sign_in_approval")

	c.halfSignedIn()
	u.who = claimsOf("7", guest.email)
	elsewhere := c.newClient(c.t, byCookie)
	leaves := elsewhere.open("GET", "/auth/oidc/campus?next=%2F", nil)
	elsewhere.open("GET", leaves.left.String(), nil)
	c.people["elsewhere"] = elsewhere
}

// halfSignedIn signs in with a password alone to an account that has an authenticator app.
func (c *campus) halfSignedIn() {
	careful := c.member(c.t, byBearer, "careful")
	careful.must(reprove, vars{"p": password})
	uri, err := url.Parse(careful.must(startTotp, nil).text("startTotp", "uri"))
	if err != nil {
		c.t.Fatal(err)
	}
	var secret totp.Secret
	if _, err := base32.StdEncoding.WithPadding(base32.NoPadding).Decode(secret[:], []byte(uri.Query().Get("secret"))); err != nil {
		c.t.Fatal(err)
	}
	careful.must(confirm, vars{"c": secret.Code(totp.StepAt(time.Now()))})
	jar, err := cookiejar.New(nil)
	if err != nil {
		c.t.Fatal(err)
	}
	half := c.newClient(c.t, byCookie)
	half.http.Jar, half.email = jar, careful.email
	half.open("POST", "/login", url.Values{"email": {careful.email}, "password": {password}, "next": {"/"}})
	c.people["half"] = half
}

var deliveryLink = regexp.MustCompile(`/webhooks/deliveries/[^"&]+`)

var linkToProgram = regexp.MustCompile(`http://127\.0\.0\.1:\d+(/\S+)`)

// keepLink waits for a mail and stores the path that it links to.
func (c *campus) keepLink(to, kind string) {
	c.t.Helper()
	mail := c.Mail(to, kind)
	if mail.Link != nil {
		c.links[kind] = strings.TrimPrefix(*mail.Link, c.URL)
		return
	}
	found := linkToProgram.FindStringSubmatch(mail.Text)
	if found == nil {
		c.t.Fatalf("the mail %s has no link: %s", kind, mail.Text)
	}
	c.links[kind] = found[1]
}
