package web

import (
	"net/http"
	"path"
	"slices"
)

// Routes are where the pages are to be put.
func (p *Pages) Routes() []Route {
	routes := []Route{get("/", p.entering(p.front))}
	for name, a := range p.assets {
		routes = append(routes, get(name, a.serve))
	}
	if p.Invitations != nil {
		routes = append(routes, get("/invitation", p.entering(p.askInvitation)), post("/invitation", p.entering(p.acceptInvitation)))
	}
	if p.Unsubscriber != nil {
		routes = append(routes, get("/unsubscribe", p.entering(p.askUnsubscribe)), post("/unsubscribe", p.entering(p.unsubscribe)))
	}
	if p.Mailbox != nil {
		routes = append(routes, get("/dev/mail", p.entering(p.mails)), get("/dev/mail.json", p.mailsJSON), get("/dev/mail.html", p.mailHTML))
	}
	if p.Market != nil {
		for _, r := range p.marketRoutes() {
			routes = append(routes, Route{r.Method, r.Path, p.entering(r.Handler)})
		}
	}
	routes = append(routes, buttons(routes)...)
	for _, r := range routes {
		if r.Method == http.MethodGet {
			routes = append(routes, Route{http.MethodHead, r.Path, r.Handler})
		}
	}
	return routes
}

// buttons are the places that only forms are sent to. Who opens one, after signing
// in or from the browser's history, is led to the page that the button stands on.
func buttons(routes []Route) (more []Route) {
	for _, r := range routes {
		if !slices.ContainsFunc(routes, func(other Route) bool { return other.Method == http.MethodGet && other.Path == r.Path }) {
			more = append(more, get(r.Path, http.RedirectHandler(path.Dir(r.Path), http.StatusSeeOther).ServeHTTP))
		}
	}
	return more
}

func get(path string, h http.HandlerFunc) Route  { return Route{http.MethodGet, path, h} }
func post(path string, h http.HandlerFunc) Route { return Route{http.MethodPost, path, h} }

// marketRoutes are the pages of the marketplace, by whom they are for.
func (p *Pages) marketRoutes() []Route {
	return []Route{
		get("/login", p.forAnybody(p.askSignIn)), post("/login", p.forAnybody(p.signInHere)), post("/logout", p.forAnybody(p.signOut)),
		get("/signup", p.forAnybody(p.askSignUp)), post("/signup", p.forAnybody(p.signUp)),
		get("/resend", p.forAnybody(p.askResend)), post("/resend", p.forAnybody(p.resend)),
		get("/forgotten", p.forAnybody(p.askForgotten)), post("/forgotten", p.forAnybody(p.forgotten)),
		get("/reset", p.forAnybody(p.askReset)), post("/reset", p.forAnybody(p.reset)),
		get("/book", p.forAnybody(p.showBook)),

		get("/account", p.forMembers(p.account)), post("/account", p.forMembers(p.changeProfile)),
		post("/account/password", p.forMembers(p.changePassword)), post("/account/device", p.forMembers(p.endDevice)),

		get("/sell", p.forStudents(p.askOffer)), post("/sell", p.forStudents(p.offer)),
		get("/mine", p.forStudents(p.mine)), post("/mine/unlist", p.forStudents(p.unlist)), post("/mine/relist", p.forStudents(p.relist)),
		get("/wanted", p.forStudents(p.wanted)), post("/wanted", p.forStudents(p.want)), post("/wanted/withdraw", p.forStudents(p.withdraw)),
		get("/cart", p.forStudents(p.cart)), post("/cart/add", p.forStudents(p.addToCart)), post("/cart/remove", p.forStudents(p.removeFromCart)),
		post("/cart/clear", p.forStudents(p.clearCart)), post("/cart/buy", p.forStudents(p.buy)),
		get("/purchases", p.forStudents(p.purchases)), get("/sales", p.forStudents(p.sales)),
		get("/notifications", p.forStudents(p.notices)), post("/notifications/read", p.forStudents(p.markRead)),

		get("/dashboard", p.forAdmins(p.dashboard)), get("/dashboard/books", p.forAdmins(p.booksByStatus)),
		get("/dashboard/orders", p.forAdmins(p.transactions)), get("/dashboard/orders.csv", p.forAdmins(p.exportOrders)),
		get("/dashboard/orders/confirm", p.forAdmins(p.askConfirm)), post("/dashboard/orders/confirm", p.forAdmins(p.confirmOrder)),
		get("/dashboard/orders/pay", p.forAdmins(p.askPay)), post("/dashboard/orders/pay", p.forAdmins(p.payOrder)),
		post("/dashboard/orders/cancel", p.forAdmins(p.cancelOrder)),
		get("/dashboard/people", p.forAdmins(p.people)),
		post("/dashboard/people/promote", p.forOwners(p.promote)), post("/dashboard/people/demote", p.forOwners(p.demote)),
		get("/dashboard/tidy", p.forOwners(p.tidy)), post("/dashboard/tidy", p.forOwners(p.unlistOld)),
		get("/dashboard/audit", p.forOwners(p.trail)),
	}
}
