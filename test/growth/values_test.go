//go:build linux

package growth_test

// values are those of the parameters of the API, by name, or by operation and name. What is in braces
// stands for what a campus has, see campus.values.
var values = map[string][]string{
	"limit": {"20", "200"}, "getBooksNoToken.limit": {"20"}, "skip": {"0", "200"},
	"university": {"{university}"}, "course": {"{course}"}, "minPrice": {"30"}, "maxPrice": {"60"}, "condition": {"Good", "Poor"},
	"query": {"introduction", "theory%20and%20practice", "introdoction", "xyzzyplugh", "introduction%20volume%20fifth%2015", "in", "{course}", "{isbn}", "{title}"}, "getCourses.query": {"10", "title"},
	"getBook.id": {"{book}"}, "bookId": {"{book}"}, "getOrder.id": {"{order}"}, "orderId": {"{placed}"}, "getRatings.orderId": {"{delivered}"},
	"conversationId": {"{conversation}"}, "term": {"2026"}, "ISBN": {"{isbn}"}, "name": {"{title}"},
	"search": words, "token": {"nobody"}, "file": {"page.css"},
}

// words are what admins search for: a frequent word, a rare name, one or two letters, what nobody has, a part of an
// address.
var words = []string{"introduction", "growth%20of", "tordale", "in", "zq", "x", "xyzzyplugh", "{email}", "northfield.example"}

// together are queries with several parameters.
var together = map[string][]string{
	"getAllBooks":        {"university={university}&condition=Poor&maxPrice=60", "university={university}&sort=price", "course={course}&sort=price"},
	"search":             {"university={university}&condition=Poor&maxPrice=60", "sort=price"},
	"searchPublic":       {"university={university}&condition=Poor&maxPrice=60", "sort=price"},
	"getTransactions":    {"status=1&search=introduction", "status=3&search=xyzzyplugh"},
	"getOrders":          {"role=buyer&status=3", "role=seller&status=1"},
	"exportTransactions": {"status=2&search=introduction"},
}

// queries are those of pages for which the example of the route is not enough. They have the same placeholders.
var queries = map[string][]string{
	"/":     {"", "q=introduction", "q=theory%20and%20practice", "q=introdoction", "q=xyzzyplugh", "q={course}", "university={university}", "university={university}&condition=Good&maxPrice=60", "sort=price"},
	"/book": {"id={book}", "id={own}"},
	"/sell": {"", "isbn={isbn}"}, "/courses": {"", "q=title"},
	"/order":                   {"id={order}", "id={delivered}"},
	"/conversation":            {"id={conversation}", "book={silent}", "book={talked}"},
	"/dashboard":               {"", "university={university}", "from=2026-01-01&to=2026-03-01"},
	"/dashboard/books":         {"", "status=1", "status=2", "status=3", "status=5"},
	"/dashboard/books.csv":     {"", "status=3"},
	"/dashboard/books/book":    {"id={book}", "id={own}"},
	"/dashboard/people":        searches,
	"/dashboard/people.csv":    {"", "search=zq"},
	"/dashboard/people/person": {"id=3", "id=4"},
	"/dashboard/orders":        append([]string{"status=1", "status=3", "status=1&search=introduction"}, searches...),
	"/dashboard/orders.csv":    {"", "status=1"},
	"/dashboard/orders/order":  {"id={order}", "id={delivered}"},
	"/dashboard/orders/queue":  {"", "stage=settle"},
	"/dashboard/reports":       {"", "state=done"},
	"/dashboard/tidy":          {"", "days=300"},
	"/dashboard/audit":         {"", "user=3", "action=sign_in"},
	"/dev/mail":                {"", "to=ada@mit.edu"},
	"/dev/mail.json":           {"to=ada@mit.edu"},
	"/dev/mail.html":           {"id={mail}"},
}

var searches = []string{"", "search=introduction", "search=tordale", "search=in", "search=zq", "search=x", "search=xyzzyplugh", "search={email}"}

// answersNobody are routes that refuse everybody here: what they are about comes with a mail or
// from elsewhere, or is not part of a demo. What the refusal costs is measured.
var answersNobody = []string{
	"openConfirmLink", // a token
	"/invitation", "/approve", "/unsubscribe", "/account/undo-email", "/account/undo-deletion", "/login/code", "/verify", "/oauth2/consent",
	"/photos/:id", "/photos/:id/thumb",
}

// exceptions are the requests that are known to grow, each with the reason: a route, "route by role", or "route?part" for
// those with a part of the query, of which some grow on one engine only: "engine: route".
var exceptions = map[string]string{
	"postgres: search by busy": "compares up to 20,000 of the newest entries, of which the first 10,000 are own books, which it leaves out",
}
