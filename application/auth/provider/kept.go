package provider

import "github.com/octavo-books/octavo/domain/retention"

// Kept is what the room keeps about people.
var Kept = []retention.Record{
	{
		What: "Applications that you have signed in to from here",
		Why:  "so that you see them and can end them", HowLong: retention.UntilRemoved, Where: retention.InDatabase,
	},
}
