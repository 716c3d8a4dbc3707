package web

// Paths of pages to which other rooms lead.
const (
	salePath       = "/dashboard/orders/order" // the page of an order for admins
	desksPath      = "/dashboard/desks"
	placesPath     = "/dashboard/places"
	reportCasePath = "/dashboard/reports/report"
)

// maxReasonText bounds the characters of a reason that staff give.
const maxReasonText = 500
