package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
)

func TestStudentsSellAndBuyOnPages(t *testing.T) {
	c := newCampus(t)
	ada, ben := c.student("Ada"), c.student("Ben")
	ben.send("/wanted", "name", "Linear Algebra", "course", "MATH 165", "maxPrice", "50").shows(200, "Your request is saved", "up to $50.00", "No book for sale matches")
	id := ada.offers("Linear Algebra Done Right", "42,50")
	ben.open("/wanted").shows(200, "same course as your request: Linear Algebra", "Linear Algebra Done Right")
	ben.open("/notifications").shows(200, "matches your request", "new", "Mark all as read")
	ben.send("/notifications/read").shows(200).lacks("Mark all as read", "unread")

	ben.open("/").shows(200, "Linear Algebra Done Right", "Add to cart")
	ada.open("/").shows(200, "Linear Algebra Done Right", "This is your book.").lacks("Add to cart")
	ben.open("/book?id="+id).shows(200, "$42.50", "plus a fee of $2.13", "Used with care", "<strong>Ada</strong>, Campus", "Add to cart").lacks("ada@campus.edu", "box-Ada")
	c.visitor().open("/book?id="+id).shows(200, "Sign in to buy", `href="/login?next=%2fbook%3fid%3d`+id).lacks("Add to cart")
	back := "/?q=algebra"
	if p := ben.send("/cart/add", "id", id, "back", back); !strings.HasPrefix(p.at, back) {
		t.Errorf("the button leads to %s", p.at)
	}
	cart := ben.open("/cart").shows(200, "Linear Algebra Done Right", "plus a fee of $2.13", "Buy for $44.63")
	for range 2 { // pressing it twice buys once
		ben.send("/cart/buy", "id", cart.hidden("id"), "key", cart.hidden("key"), "total", cart.hidden("total")).
			shows(200, "My purchases", "Your order is placed.", "$44.63", "Seller: Ada Doe").lacks("pay-Ada", "ada@campus.edu", "box-Ada")
	}
	ben.open("/purchases").shows(200, "$42.50 plus a fee of $2.13: $44.63 in total.", "Seller: Ada Doe")
	ada.open("/sales").shows(200, "You will receive $42.50", "Buyer: Ben Doe").lacks("pay-Ben", "ben@campus.edu", "box-Ben")
	ada.open("/mine").shows(200, "bought").lacks("Unlist")
	ben.open("/wanted").shows(200, "fulfilled: you bought it")
	ben.open("/account").shows(200, "Books bought", "$44.63", "this device")
	c.visitor().open("/book?id="+id).shows(404, "This book is gone", `href="/wanted"`)
}

func TestSellersSeeTheirOwnBookOnTheHomePage(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	ada.open("/").shows(200, "No books for sale on your campus yet.", "Search all campuses")
	ada.offers("Topology", "20")
	for _, path := range []string{"/", "/?q=topology", "/?course=MATH+165"} {
		ada.open(path).shows(200, "Topology", "This is your book.").lacks("Add to cart", "No books for sale yet.", "No one is selling this")
		c.student("Ben").open(path).shows(200, "Topology", "Add to cart").lacks("This is your book")
		c.visitor().open(path).shows(200, "Topology").lacks("Add to cart", "This is your book")
	}
}

func TestAFormSubmittedTwiceTakesEffectOnce(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	offer := func(p page, name string) page {
		return ada.send("/sell", "key", p.hidden("key"), "name", name, "course", "MATH 165", "edition", "3", "condition", "Good", "price", "20", "date", "2026-09-07")
	}
	want := func(p page, name string) page {
		return ada.send("/wanted", "key", p.hidden("key"), "name", name, "course", "MATH 440")
	}
	for range 2 {
		offer(offer(ada.open("/sell"), "").shows(400, "Must be 1 to 300"), "Topology").shows(200, "Your book is listed")
		want(want(ada.open("/wanted"), "").shows(400, "Must be 1 to 300"), "Algebra").shows(200, "Your request is saved")
	}
	selling, looking := ada.open("/sell"), ada.open("/wanted")
	for range 2 {
		offer(selling, "Geometry").shows(200, "Your book is listed")
		want(looking, "Logic").shows(200, "Your request is saved")
	}
	offer(selling, "Geometry II").shows(200, "Your book is listed") // a changed form takes effect again
	for page, times := range map[string]map[string]int{"/mine": {"Topology</a>": 2, "Geometry</a>": 1, "Geometry II</a>": 1}, "/wanted": {"<h3>Algebra": 2, "<h3>Logic": 1}} {
		body := ada.open(page).shows(200).body
		for text, n := range times {
			if got := strings.Count(body, text); got != n {
				t.Errorf("%s shows %q %d times, want %d: %s", page, text, got, n, body)
			}
		}
	}
}

func TestABookIsEditedUnlistedAndRelisted(t *testing.T) {
	c := newCampus(t)
	ada, ben := c.student("Ada"), c.student("Ben")
	id := ada.offers("Topology", "20")
	form := ada.open("/sell?id="+id).shows(200, "Edit your listing", `value="Topology"`, `value="20.00"`, `value="2026-09-07"`)
	ada.send("/sell", "id", form.hidden("id"), "name", "General Topology", "course", "MATH 440", "edition", "2", "condition", "Fair", "price", "$18.5", "date", "2026-10-01",
		"ISBN", "0-306-40615-2", "Comments", "Two\r\nlines").shows(200, "Your changes are saved", "General Topology", "$18.50", "MATH 440")
	ada.open("/book?id="+id).shows(200, "9780306406157")
	ben.open("/sell?id="+id).shows(403, "Only the seller")
	ada.send("/mine/unlist", "id", id).shows(200, "no longer for sale", "Relist")
	ben.open("/book?id=" + id).shows(404)
	ada.send("/mine/relist", "id", id).shows(200, "for sale again", "Unlist")
	ben.send("/mine/unlist", "id", id).shows(403, "Only the seller")
}

func TestAnInvalidFormKeepsItsValuesAndShowsErrors(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	p := ada.send("/sell", "name", "Algebra <b>", "course", " ", "edition", "deluxe", "condition", "Old", "price", "12.3456", "date", "soon", "ISBN", "123", "Comments", strings.Repeat("é", 2001))
	p.shows(400, "Some fields are invalid.", `value="Algebra <b>"`, `value="deluxe"`, "Must be a whole number.", "Must be an amount in USD with at most two decimals, such as 12.50.", "Must be 1 to 40 characters",
		"Must be a date", "correct check digit", "Choose one of", "at most 2000", `aria-invalid="true" aria-describedby="f-price-wrong"`)
	if strings.Contains(p.body, "<b>") {
		t.Error("the input is not escaped")
	}
	ada.send("/wanted", "name", "", "course", "MATH 1", "edition", "0", "maxPrice", "free").shows(400, "Must be 1 to 300", "Must be from 1 to 1000.", "Must be an amount in USD", `value="MATH 1"`)
	ada.send("/account", "firstName", "", "lastName", "L", "university", "U", "campusMailbox", "9", "paymentUsername", "p").shows(400, "Must have 1 to 100 characters.")
	ada.send("/account/password", "password", "not this one", "newPassword", "a new long password").shows(401, "The current password is wrong.")
	ada.send("/account/password", "password", authkit.Password, "newPassword", "short").shows(400, "Must have 8 to 128 characters.")

	p = c.visitor().send("/signup", "email", "x@gmail.com", "password", "s3cret-s3cret", "firstName", "X", "lastName", "Y", "university", "U", "campusMailbox", "1", "paymentUsername", "p")
	p.shows(400, "Must end in .edu.", `value="x@gmail.com"`).lacks("s3cret")
	c.visitor().send("/signup", "email", "x@gmail.com", "password", "short", "firstName", "X", "lastName", "").
		shows(400, "Must end in .edu.", "Must have 8 to 128 characters.", "Must have 1 to 100 characters.")
	c.visitor().send("/signup", "email", "nobody", "password", "password").shows(400, "Must be an address like", "Is one of the most common passwords.")
	c.visitor().send("/login", "email", "ada@campus.edu", "password", "wr0ng wr0ng").shows(401, "not confirmed yet", `value="ada@campus.edu"`).lacks("wr0ng")
	c.visitor().open("/?minPrice=a").shows(400, "Must be an amount in USD")
	c.visitor().open("/?minPrice=9&maxPrice=5").shows(400, "Must not be above the highest price.")
	ada.open("/?course=math-165&sort=price").shows(200, "No one is selling this right now.")
}

func TestAChangedCartBuysNothing(t *testing.T) {
	c := newCampus(t)
	ada, ben, cay := c.student("Ada"), c.student("Ben"), c.student("Cay")
	first, second := ada.offers("Analysis", "10"), ada.offers("Geometry", "20")
	for _, id := range []string{first, second} {
		ben.send("/cart/add", "id", id, "back", "/cart")
	}
	seen := ben.open("/cart").shows(200, "Buy for $31.50")
	buy := func(p page) page {
		return ben.send("/cart/buy", "id", first, "id", second, "key", p.hidden("key"), "total", p.hidden("total"))
	}
	ada.send("/sell", "id", second, "name", "Geometry", "course", "MATH 165", "edition", "3", "condition", "Good", "price", "25", "date", "2026-09-07").shows(200)
	seen = buy(seen).shows(409, "A price has changed", "Buy for $36.75")
	cay.buys(first)
	seen = buy(seen).shows(409, "The books marked below have just been sold", "no longer for sale", "Buy the remaining books for $26.25")
	ben.open("/purchases").shows(200, "You have not bought any books yet.")
	ben.send("/cart/buy", "id", second, "key", seen.hidden("key"), "total", seen.hidden("total")).shows(200, "Geometry").lacks("Analysis")
	ben.open("/cart").shows(200, "Analysis").lacks("Geometry", "/cart/buy")
	ben.send("/cart/buy", "key", "k", "total", "x").shows(400, "There is nothing to buy.")
	ben.send("/cart/add", "id", first, "back", "/?q=x").shows(409, "no longer available", `href="/?q=x"`)
	ben.send("/cart/clear").shows(200, "Your cart is empty.")
}

func TestThousandsAreGroupedInTextsButNotInFields(t *testing.T) {
	c := newCampus(t)
	ada, ben, adam := c.student("Ada"), c.student("Ben"), c.staff("Adam", user.Admin)
	id := ada.offers("Encyclopedia", "1234.5")
	ada.open("/sell?id="+id).shows(200, `value="1234.50"`)
	ben.send("/cart/add", "id", id, "back", "/cart").shows(200, "$1,234.50", "Buy for $1,296.23", `name="total" value="1296.23"`)
	ben.lang = "fr"
	ben.open("/cart").shows(200, "1\u202f234,50\u00a0$", "Acheter pour 1\u202f296,23\u00a0$", `name="total" value="1296.23"`)
	ben.lang = "en"
	ben.buys(id)
	adam.send("/dashboard/orders/confirm", "id", id, "back", "/dashboard").shows(200, "Sales volume", "$1,234.50 in this period", "<td>$1,234.50</td>")
	adam.lang = "fr"
	adam.open("/dashboard").shows(200, "Volume des ventes", "1\u202f234,50\u00a0$", "0,0")
}

func TestSigningInLeadsBackToTheRequestedPage(t *testing.T) {
	c := newCampus(t)
	c.student("Ada")
	v := c.visitor()
	p := v.open("/sell").shows(200, "Sign in")
	v.send("/login", "email", "ada@campus.edu", "password", authkit.Password, "next", p.hidden("next")).shows(200, "Sell a book")
	v.send("/logout").shows(200, "You are signed out.", "Sign up")
	p = v.send("/cart/buy", "id", "1").shows(200, "Sign in")
	v.send("/login", "email", "ada@campus.edu", "password", authkit.Password, "next", p.hidden("next")).shows(200, "Your cart")
	v.send("/logout")
	v.open("/dashboard/orders/cancel").shows(200, "Sign in")
	for _, elsewhere := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, "javascript:alert(1)", ""} {
		p := v.send("/login", "email", "ada@campus.edu", "password", authkit.Password, "next", elsewhere)
		if p.at != "/" {
			t.Errorf("%q leads to %s, want /", elsewhere, p.at)
		}
		v.send("/logout")
	}
}

func TestAFormKeepsItsValuesWhenTheSessionEnds(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	id := ada.offers("Topology", "20")
	sold := []string{"name", "Calculus of \"Variations\"", "course", "MATH 440", "edition", "2", "condition", "Good", "price", "35", "date", "2026-09-07", "Comments", "a long story"}
	c.Clock.Advance(400 * 24 * time.Hour)
	kept := ada.send("/sell", sold...).shows(401, "You have been signed out", `href="/login" target="_blank"`, "Calculus of \"Variations\"", "a long story", `value="Good" checked`)
	ada.send("/wanted", "name", "Topology", "course", "MATH 440").shows(401, "You have been signed out", `value="Topology"`)
	ada.send("/account", "firstName", "Adah").shows(401, `value="Adah"`)
	ada.send("/account/password", "password", "x", "newPassword", "y").shows(200, "Sign in").lacks("You have been signed out")
	ada.send("/sell", append(sold, "id", id)...).shows(401, "Edit your listing", `name="id" value="`+id+`"`)
	ada.request(http.MethodPost, "/sell", url.Values{"name": {"<b>"}}, "Sec-Fetch-Site", "cross-site").shows(403, "came from another site")

	ada.send("/login", "email", "ada@campus.edu", "password", authkit.Password).shows(200, "Sign out")
	ada.send("/sell", append(sold, "key", kept.hidden("key"))...).shows(200, "Your book is listed", "Variations")
}

func TestClosedRegistrationHidesTheSignUpLinks(t *testing.T) {
	v := newCampusBehind(t, func(_ *authrooms.Ports, c *auth.Config) { c.AllowRegistration = false }, nil).visitor()
	v.open("/").shows(200, "Sign in").lacks("/signup")
	v.open("/login").shows(200, "Forgot your password?").lacks("/signup")
	v.open("/signup").shows(403, "Sign-ups are closed.").lacks(`name="email"`)
	v.send("/signup", "email", "ada@campus.edu").shows(403, "Sign-ups are closed.")
}

func TestASearchWithoutResultsOffersARequest(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	v := c.visitor()
	v.open("/?q=rare+%26+old").shows(200, "<title>Search: rare & old", `href="/wanted?name=rare+%26+old">Request it`).lacks("Sell last term’s books")
	v.open("/wanted?name=rare+%26+old").shows(200, "Sign in", `name="next" value="/wanted?name=rare+%26+old"`)
	ada.open("/wanted?name=rare+%26+old").shows(200, `name="name" type="text" value="rare & old"`)
}

func TestTheFirstInvalidFieldHasTheFocus(t *testing.T) {
	c := newCampus(t)
	p := c.student("Ada").send("/sell", "name", "Topology", "course", "MATH 440", "edition", "x", "condition", "Good", "price", "x", "date", "2026-09-07")
	p.shows(400, `id="f-edition" name="edition" type="text" value="x" maxlength="40" inputmode="numeric" required aria-invalid="true" autofocus`)
	if n := strings.Count(p.body, "autofocus"); n != 1 {
		t.Errorf("%d fields have the attribute autofocus, want 1", n)
	}
}

func TestABrowserStaysSignedInWhenItsTokenExpires(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	old := ada.cookies["octavo_access"]
	c.Clock.Advance(21 * time.Minute)
	ada.send("/wanted", "name", "Topology", "course", "MATH 440").shows(200, "Your request is saved") // a form is not lost either
	if ada.cookies["octavo_access"] == old {
		t.Error("there is no new token")
	}
	delete(ada.cookies, "octavo_access")
	r := httptest.NewRequest(http.MethodGet, "/mine", nil)
	r.AddCookie(&http.Cookie{Name: "octavo_refresh", Value: ada.cookies["octavo_refresh"]})
	r.Header.Set("Authorization", "Bearer x")
	w := httptest.NewRecorder()
	if c.handler.ServeHTTP(w, r); w.Code != http.StatusSeeOther {
		t.Errorf("a cookie replaces an invalid header: %d, want %d", w.Code, http.StatusSeeOther)
	}
	ada.open("/mine").shows(200, "My books")

	elsewhere := c.visitor()
	elsewhere.send("/login", "email", "ada@campus.edu", "password", authkit.Password).shows(200)
	ada.send("/account/device", "id", ada.open("/account").hidden("id")).shows(200, "The device was signed out.")
	elsewhere.open("/mine").shows(200, "Sign in")
	if len(elsewhere.cookies) != 0 {
		t.Errorf("dead cookies remain: %v", elsewhere.cookies)
	}
	c.Clock.Advance(400 * 24 * time.Hour)
	ada.open("/mine").shows(200, "Sign in")
}

func TestOnlyARememberedDeviceStaysSignedInForDays(t *testing.T) {
	c := newCampus(t)
	c.student("ada")
	shared, own := c.visitor(), c.visitor()
	shared.open("/login").shows(200, `type="checkbox" value="yes"> Stay signed in on this device`)
	shared.send("/login", "email", "ada@campus.edu", "password", authkit.Password).shows(200)
	own.send("/login", "email", "ada@campus.edu", "password", authkit.Password, "remember", "yes").shows(200)
	c.Clock.Advance(29 * 24 * time.Hour)
	shared.open("/mine").shows(200, "Sign in")
	own.open("/mine").shows(200, "My books")
}

func TestAForgottenPasswordCanBeReset(t *testing.T) {
	c := newCampus(t)
	c.student("Ada")
	v := c.visitor()
	v.send("/forgotten", "email", "nobody@campus.edu").shows(200, "Set a new password")
	v.send("/forgotten", "email", "ada@campus.edu").shows(200, "Set a new password", `value="ada@campus.edu"`)
	v.send("/reset", "email", "ada@campus.edu", "code", "00000000", "password", "another long password").shows(400, "This code is wrong", `f-code-wrong`)
	code := c.LastMail(t, message.PasswordReset, "ada@campus.edu").Code
	v.send("/reset", "email", "ada@campus.edu", "code", code, "password", "another long password").shows(200, "Your password is set.")
	v.send("/reset", "email", "ada@campus.edu", "code", code, "password", "another long password").shows(400, "If you have already set a new password with this code, sign in", `href="/login"`)
	v.send("/login", "email", "ada@campus.edu", "password", "another long password").shows(200, "Sign out")
	v.send("/resend", "email", "nobody@campus.edu").shows(200, "If nobody@campus.edu still needs to be confirmed", "Send it again")
}

func TestAnAccountWithoutAProfileMustCompleteItFirst(t *testing.T) {
	c := newCampus(t)
	c.CreateUser(t, "eve@campus.edu")
	v := c.visitor()
	v.send("/login", "email", "eve@campus.edu", "password", authkit.Password, "next", "/sell").shows(200, "Please complete your student profile first.").lacks("Your changes are saved.")
	v.send("/account", "firstName", "Eve", "lastName", "D", "university", "Campus", "campusMailbox", "5", "paymentUsername", "eve").shows(200, "Your changes are saved.")
	v.open("/me").shows(200, "My books")
	v.open("/sell").shows(200, "Sell a book")
}

func TestTheMailboxAndThePaymentNameAreAskedForInPlace(t *testing.T) {
	c := newCampus(t)
	id := c.student("Ada").offers("Algebra", "42.50")
	v := c.visitor()
	v.open("/signup").shows(200, "First name").lacks("campusMailbox", "paymentUsername")
	v.send("/signup", "email", "eve@campus.edu", "password", authkit.Password, "firstName", "Eve", "lastName", "D", "university", "Campus").
		shows(200, "We have sent a link to eve@campus.edu.", "Send it again", "Change the address")
	v.send("/signup/change", "email", "eve@campus.edu", "firstName", "Eve", "lastName", "D").shows(200, `value="eve@campus.edu"`, `value="Eve"`)
	c.confirm("eve@campus.edu")
	v.send("/login", "email", "eve@campus.edu", "password", authkit.Password).shows(200, "Sign out")

	v.open("/cart").shows(200)
	v.send("/cart/add", "id", id, "back", "/cart").shows(200, `name="campusMailbox"`, `name="paymentUsername"`)
	v.send("/cart/buy", "id", id, "total", "44.63", "key", "k").shows(403, "Please tell us first", "Needed before you buy or sell", `id="f-campusMailbox-wrong"`)
	v.open("/offers/make?book="+id).shows(200, `name="campusMailbox"`)
	v.send("/offers/make", "book", id, "price", "1").shows(403, "Please tell us first", `value="1"`)
	v.open("/sell").shows(200, `name="campusMailbox"`)
	sold := []string{"name", "Topology", "course", "MATH 1", "edition", "1", "condition", "Good", "price", "12", "date", "2026-09-07"}
	v.send("/sell", sold...).shows(403, "Please tell us first", `value="Topology"`)
	v.send("/sell", append(sold, "campusMailbox", "5", "paymentUsername", "eve")...).shows(200, "Your book is listed.")
	v.open("/sell").shows(200).lacks("campusMailbox")
	v.open("/account").shows(200, `value="eve"`, `value="5"`)
}

func TestAnotherSiteCannotSubmitOurForms(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	id := ada.offers("Topology", "20")
	for v, paths := range map[*visit][]string{ada: {"/mine/unlist", "/logout", "/login", "/login/code"}, c.visitor(): {"/login", "/signup"}} {
		for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"}} {
			for _, path := range paths {
				if p := v.request(http.MethodPost, path, url.Values{"id": {id}}, header...); p.status != http.StatusForbidden {
					t.Errorf("%s with %v: %d, want %d", path, header, p.status, http.StatusForbidden)
				}
			}
		}
	}
	ada.open("/mine").shows(200, "for sale")
	p := ada.request(http.MethodPost, "/mine/unlist", url.Values{"id": {id}}, "Origin", "http://example.com") // our own site, in a browser without Sec-Fetch-Site
	p.shows(200, "no longer for sale")
	if p.header.Get("Referrer-Policy") != "same-origin" {
		t.Error("the policy makes such browsers send Origin: null")
	}
}

func TestListsHaveFurtherPages(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	for range 45 {
		ada.offers("Topology", "20")
	}
	v := c.visitor()
	count := func(p page) int { return strings.Count(p.shows(200).body, "<h3>") }
	next := func(p page) page {
		_, rest, _ := strings.Cut(p.body, `rel="next" href="`)
		path, _, _ := strings.Cut(rest, `"`)
		return v.open(strings.ReplaceAll(path, "&amp;", "&"))
	}
	first := v.open("/?q=topology")
	if a, b := count(first), count(next(first)); a != 24 || b != 21 {
		t.Errorf("%d and %d books", a, b)
	}
	v = ada
	first = ada.open("/mine")
	if a, b := count(first), count(next(first)); a != 40 || b != 5 {
		t.Errorf("%d and %d books", a, b)
	}
	ada.open("/mine?cursor=%00").shows(400, "The cursor is invalid.")
}
