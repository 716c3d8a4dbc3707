package rooms

import (
	"slices"

	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/pushing"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/retention"
)

// Kept is what all rooms keep about people.
func Kept() []retention.Record {
	return slices.Concat(selling.Kept, finding.Kept, buying.Kept, talking.Kept, pushing.Kept, guarding.Kept)
}
