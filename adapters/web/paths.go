package web

// Paths of pages to which other rooms lead.
const (
	SalePath       = "/dashboard/orders/order" // the page of an order for admins
	DesksPath      = "/dashboard/desks"
	PlacesPath     = "/dashboard/places"
	ReportCasePath = "/dashboard/reports/report"
)

// MaxReasonText bounds the characters of a reason that staff give.
const MaxReasonText = 500
