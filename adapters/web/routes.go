package web

import (
	"net/http"
	"path"
	"slices"
)

// Routes returns all routes of the pages.
func (p *Pages) Routes() []Route {
	routes := []Route{get("/", p.withViewer(p.front)), post("/language", p.withViewer(p.forAnybody(p.changeLanguage)))}
	routes = append(routes, p.wellKnownRoutes()...)
	for name, a := range p.assets {
		routes = append(routes, get(name, a.serve))
	}
	if p.Invitations != nil {
		routes = append(routes, get("/invitation", p.withViewer(p.showInvitation)), post("/invitation", p.withViewer(p.acceptInvitation)))
	}
	if p.Approvals != nil {
		routes = append(routes, get("/approve", p.withViewer(p.showApproval)), post("/approve", p.withViewer(p.approve)))
	}
	if p.ExternalSignIn != nil {
		for _, r := range p.externalSignInRoutes() {
			routes = append(routes, Route{r.Method, r.Path, p.withViewer(r.Handler)})
		}
	}
	if p.Unsubscriber != nil {
		routes = append(routes, get("/unsubscribe", p.withViewer(p.showUnsubscribe)), post("/unsubscribe", p.withViewer(p.unsubscribe)))
	}
	routes = append(routes, p.undoRoutes()...)
	if p.Mailbox != nil {
		routes = append(routes, get("/dev/mail", p.withViewer(p.mails)), get("/dev/mail.json", p.mailsJSON), get("/dev/mail.html", p.mailHTML))
	}
	if p.Identity != nil {
		for _, r := range p.identityRoutes() {
			routes = append(routes, Route{r.Method, r.Path, p.withViewer(r.Handler)})
		}
	}
	if p.Market != nil {
		routes = append(routes, p.photoRoutes()...)
		for _, r := range p.marketRoutes() {
			routes = append(routes, Route{r.Method, r.Path, p.withViewer(r.Handler)})
		}
	}
	routes = append(routes, p.textRoutes()...)
	routes = append(routes, redirectsForPosts(routes)...)
	for _, r := range routes {
		if r.Method == http.MethodGet {
			routes = append(routes, Route{http.MethodHead, r.Path, r.Handler})
		}
	}
	return routes
}

// redirectsForPosts adds a GET route to paths that only accept POST. It redirects
// people who open them, after signing in or from the browser's history, to the page
// that contains the form.
func redirectsForPosts(routes []Route) (more []Route) {
	for _, r := range routes {
		if !slices.ContainsFunc(routes, func(other Route) bool { return other.Method == http.MethodGet && other.Path == r.Path }) {
			more = append(more, get(r.Path, http.RedirectHandler(path.Dir(r.Path), http.StatusSeeOther).ServeHTTP))
		}
	}
	return more
}

func get(path string, h http.HandlerFunc) Route  { return Route{http.MethodGet, path, h} }
func post(path string, h http.HandlerFunc) Route { return Route{http.MethodPost, path, h} }

// marketRoutes returns the pages of the marketplace with their access rules.
func (p *Pages) marketRoutes() []Route {
	return []Route{
		get("/book", p.forAnybody(p.showBook)), get("/me", p.forMembers(p.me)), get("/title", p.forAnybody(p.showTitle)),

		post("/account", p.forMembers(p.changeProfile)),

		get(photosPath, p.forStudents(p.showPhotos)), post(photosPath, p.forStudentUploads(p.addPhotos)), post(photosPath+"/remove", p.forStudents(p.removePhoto)),
		get("/sell", p.forStudents(p.showSell)), post("/sell", p.forStudents(p.sell)), post("/sell/preview", p.forStudents(p.previewListing)),
		get(importPath, p.forStudents(p.showImport)), post(importPath, p.forStudentUploads(p.checkImport)),
		post(importPath+"/start", p.forStudents(p.startImport)), post(importPath+"/cancel", p.forStudents(p.cancelImport)),
		get("/mine", p.forStudents(p.myListings)), post("/mine/unlist", p.forStudents(p.unlist)), post("/mine/relist", p.forStudents(p.relist)),
		get("/wanted", p.forStudents(p.requests)), post("/wanted", p.forStudents(p.addRequest)), post("/wanted/withdraw", p.forStudents(p.withdraw)),
		get(searchesPath, p.forStudents(p.savedSearches)), post(searchesPath, p.forStudents(p.saveSearch)), post(searchesPath+"/delete", p.forStudents(p.deleteSearch)),
		post(searchesPath+"/mail", p.forStudents(p.setSearchMail(true))), post(searchesPath+"/stop", p.forStudents(p.setSearchMail(false))), post(searchesPath+"/request", p.forStudents(p.requestSearch)),
		get(coursesPath, p.forStudents(p.courses)), post(coursesPath+"/add", p.forStudents(p.addCourse)), post(coursesPath+"/remove", p.forStudents(p.removeCourse)),
		post(coursesPath+"/request", p.forStudents(p.requestCourses)), get(usedPath, p.forStudents(p.usedBooks)), post(usedPath, p.forStudents(p.sellUsedBooks)),
		get("/cart", p.forStudents(p.cart)), post("/cart/add", p.forStudents(p.addToCart)), post("/cart/remove", p.forStudents(p.removeFromCart)),
		post("/cart/clear", p.forStudents(p.clearCart)), post("/cart/buy", p.forStudents(p.buy)),
		get(orderPath, p.forMembers(p.showOrder)), get(orderPath+"/slip", p.forMembers(p.showSlip)),
		get(orderPath+"/cancel", p.forStudents(p.showWithdrawal)), post(orderPath+"/cancel", p.forStudents(p.withdrawOrder)),
		get("/purchases", p.forStudents(p.purchases)), get("/sales", p.forStudents(p.sales)),
		get(messagesPath, p.forStudents(p.conversations)), get(messagesPath+"/blocked", p.forStudents(p.blocked)),
		get(conversationPath, p.forStudents(p.showConversation)), post(conversationPath, p.forStudents(p.sendMessage)),
		post(conversationPath+"/block", p.forStudents(p.block)), post(conversationPath+"/unblock", p.forStudents(p.unblock)),
		get("/notifications", p.forStudents(p.notifications)), post("/notifications/read", p.forStudents(p.markRead)),

		get("/dashboard", p.forAdmins(p.dashboard)), get("/dashboard/books", p.forAdmins(p.booksByStatus)), get("/dashboard/books.csv", p.forAdmins(p.exportBooks)),
		get(bookAdminPath, p.forAdmins(p.showBookAdmin)), post(booksPath+"/relist", p.forAdmins(p.relistBook)),
		get(unlistPath, p.forAdmins(p.reviewUnlisting)), post(unlistPath, p.forAdmins(p.unlistBooks)),
		get("/dashboard/people.csv", p.forAdmins(p.exportPeople)),
		get("/dashboard/orders", p.forAdmins(p.transactions)), get("/dashboard/orders.csv", p.forAdmins(p.exportOrders)),
		get("/dashboard/orders/confirm", p.forAdmins(p.showConfirm)), post("/dashboard/orders/confirm", p.forAdmins(p.confirmOrder)),
		get("/dashboard/orders/settle", p.forAdmins(p.showSettle)), post("/dashboard/orders/settle", p.forAdmins(p.settleOrder)),
		get("/dashboard/orders/pay", p.forAdmins(p.showPay)), post("/dashboard/orders/pay", p.forAdmins(p.payOrder)),
		get("/dashboard/orders/cancel", p.forAdmins(p.showCancel)), post("/dashboard/orders/cancel", p.forAdmins(p.cancelOrder)), get(salePath, p.forAdmins(p.showSale)),
		get(queuePath, p.forAdmins(p.queue)), get("/dashboard/orders/review", p.forAdmins(p.review)), post("/dashboard/orders/review", p.forAdmins(p.confirmAll)),
		post(meetingPath, p.forStudents(p.proposeMeeting)), post(acceptMeetingPath, p.forStudents(p.acceptMeeting)), post(handoverPath, p.forStudents(p.confirmHandover)),
		get(placesPath, p.forAdmins(p.places)), post(placesPath, p.forAdmins(p.savePlace)), post(placesPath+"/remove", p.forAdmins(p.removePlace)),
		post(ratePath, p.forStudents(p.rateOrder)),
		get(reportPath, p.forStudents(p.showReport)), post(reportPath, p.forStudents(p.sendReport)),
		get(reportsPath, p.forAdmins(p.reports)), get(reportCasePath, p.forAdmins(p.showReportCase)),
		get(decidePath, p.forAdmins(p.showDecision)), post(decidePath, p.forAdmins(p.decide)),
		get(desksPath, p.forAdmins(p.desks)), post(desksPath, p.forAdmins(p.saveDesk)), post(desksPath+"/remove", p.forAdmins(p.removeDesk)),
		get(courseListsPath, p.forAdmins(p.courseLists)), post(courseListsPath, p.forAdminUploads(p.uploadCourses)), post(courseListsPath+"/remove", p.forAdmins(p.removeCourses)),
		get("/dashboard/tidy", p.forOwners(p.showExpire)), post("/dashboard/tidy", p.forOwners(p.expire)),
	}
}
