package market

import (
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

// User is what the market knows about an account.
type User struct {
	ID      user.ID
	Email   user.Email // empty: a deleted account, which gets no mail
	Lang    user.Lang
	Profile user.Profile // empty: none
	// Unavailable: the account is suspended, or will be deleted at its owner's request.
	Unavailable bool
	Store       bool // a campus store
}
