package guarding

import "github.com/octavo-books/octavo/domain/retention"

// Kept is what the room keeps about people.
var Kept = []retention.Record{
	{What: "Reports by you and about you", Why: "to keep the market safe", HowLong: retention.TwoYears, Where: retention.InDatabase},
	{
		What: "Photos that you add to a problem with an order", Why: "so that the other side and admins see them",
		HowLong: "as long as the report", Where: retention.InPhotos,
	},
}
