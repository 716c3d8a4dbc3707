// Package sellingpages has the pages of sellers: listings, files of books, photos, covers, and the end of old offers.
package sellingpages

import "github.com/octavo-books/octavo/adapters/web"

// Pages serves the pages of this room. It knows no other room.
type Pages struct{ *web.Pages }

// Features returns what the pages of this room bring.
func Features(site *web.Pages) []web.Feature {
	p := &Pages{site}
	return []web.Feature{
		p.listingPages(), p.minePages(), p.importPages(), p.photoPages(), p.expiryPages(),
	}
}
