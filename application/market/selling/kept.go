package selling

import "github.com/octavo-books/octavo/domain/retention"

// Kept is what the room keeps about people.
var Kept = []retention.Record{
	{
		What: "Books that you have listed, with prices",
		Why:  "because the books of a market must add up", HowLong: retention.Nameless, Where: retention.InDatabase,
	},
	{
		What: "Photos of your books",
		Why:  "so that buyers see them", HowLong: "until two hours after you remove them", Where: retention.InPhotos,
	},
	{What: "The last file of books that you checked", Why: "to list them", HowLong: "a week", Where: retention.InDatabase},
}
