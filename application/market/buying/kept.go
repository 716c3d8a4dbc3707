package buying

import "github.com/octavo-books/octavo/domain/retention"

// Kept is what the room keeps about people.
var Kept = []retention.Record{
	{
		What: "Purchases and sales, with their amounts",
		Why:  "because the books of a market must add up", HowLong: retention.Nameless, Where: retention.InDatabase,
	},
	{
		What: "Cart, offers, proposals to meet, ratings",
		Why:  "to buy and to hand over", HowLong: retention.WithAccount, Where: retention.InDatabase,
	},
}
