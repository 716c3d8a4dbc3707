package finding

import "github.com/octavo-books/octavo/domain/retention"

// Kept is what the room keeps about people.
var Kept = []retention.Record{
	{
		What: "Requests, saved searches and courses",
		Why:  "to tell you of books", HowLong: retention.UntilRemoved, Where: retention.InDatabase,
	},
}
