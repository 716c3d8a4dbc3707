package order

import (
	"fmt"
	"time"

	"github.com/octavo-books/octavo/domain/money"
)

// Account is an account of the ledger. The numbers are stored.
type Account int

// The accounts. Money enters from buyers and leaves to sellers; the sum of all four
// balances is always 0.
const (
	Buyers  Account = iota + 1 // outside: what buyers have paid, as a negative balance
	Escrow                     // paid by a buyer, not yet passed on
	Fees                       // the market's own
	Sellers                    // outside: what sellers have received
)

// Movement is the reason for a ledger entry. The numbers are stored.
type Movement int

// The movements.
const (
	Charge        Movement = iota + 1 // placed → verified
	Fee                               // placed → verified, the market's share
	Payout                            // verified → delivered
	Refund                            // verified → cancelled
	DirectPayment                     // placed → delivered: the buyer has paid the seller
)

// Entry is one line of the append-only ledger. The entries of one movement of
// one order sum to 0.
type Entry struct {
	Order    ID
	Movement Movement
	Account  Account
	Amount   money.Amount // added to the account
	At       time.Time
}

func (o *Order) charge(now time.Time) []Entry {
	return []Entry{
		{o.ID, Charge, Buyers, -o.Total(), now},
		{o.ID, Charge, Escrow, o.Total(), now},
		{o.ID, Fee, Escrow, -o.Fee, now},
		{o.ID, Fee, Fees, o.Fee, now},
	}
}

func (o *Order) payout(now time.Time) []Entry {
	return []Entry{
		{o.ID, Payout, Escrow, -o.Price, now},
		{o.ID, Payout, Sellers, o.Price, now},
	}
}

func (o *Order) payDirectly(now time.Time) []Entry {
	return []Entry{
		{o.ID, DirectPayment, Buyers, -o.Price, now},
		{o.ID, DirectPayment, Sellers, o.Price, now},
	}
}

func (o *Order) refund(now time.Time) []Entry {
	return []Entry{
		{o.ID, Refund, Escrow, -o.Price, now},
		{o.ID, Refund, Fees, -o.Fee, now},
		{o.ID, Refund, Buyers, o.Total(), now},
	}
}

// Balances holds the sum of an order's entries by account.
type Balances struct{ Buyers, Escrow, Fees, Sellers money.Amount }

// Add adds an amount to one account; false if there is no such account.
func (b *Balances) Add(a Account, amount money.Amount) bool {
	switch a {
	case Buyers:
		b.Buyers += amount
	case Escrow:
		b.Escrow += amount
	case Fees:
		b.Fees += amount
	case Sellers:
		b.Sellers += amount
	default:
		return false
	}
	return true
}

// ExpectedBalances are the sums of the order's entries that its status requires.
func (o Order) ExpectedBalances() Balances {
	switch o.Status {
	case Verified:
		return Balances{Buyers: -o.Total(), Escrow: o.Price, Fees: o.Fee}
	case Delivered:
		return Balances{Buyers: -o.Total(), Fees: o.Fee, Sellers: o.Price}
	}
	return Balances{}
}

// String formats the balances, in minor units, for a report of inconsistencies.
func (b Balances) String() string {
	return fmt.Sprintf("buyers %d, escrow %d, fees %d, sellers %d in minor units", b.Buyers, b.Escrow, b.Fees, b.Sellers)
}
