package talking

import "github.com/octavo-books/octavo/domain/retention"

// Kept is what the room keeps about people.
var Kept = []retention.Record{
	{
		What: "Messages to buyers and sellers, and whom you have blocked",
		Why:  "to agree on a sale", HowLong: retention.TwoYears, Where: retention.InDatabase,
	},
	{
		What: "Notifications, the newest thousand",
		Why:  "to tell you what has happened", HowLong: retention.WithAccount, Where: retention.InDatabase,
	},
}
