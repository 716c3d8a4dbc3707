package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// MaxSales bounds the sales of a seller that are counted.
const MaxSales = 1000

// Count is a number of things that may be larger than what was counted.
type Count struct {
	N    int
	More bool // there are more than N
}

// Seller is what everybody may know of a seller.
type Seller struct {
	FirstName, University string
	MemberSince           time.Time
	Sales                 Count // delivered
	Cancelled             Count // by the seller
}

// SellerReader reads what everybody may know of a seller.
type SellerReader interface {
	// FindSeller counts at most max sales and at most max cancelled ones. If there is no such user, the error is
	// user.ErrNotFound.
	FindSeller(ctx context.Context, id user.ID, max int) (Seller, error)
}
