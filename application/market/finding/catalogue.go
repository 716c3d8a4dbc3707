package finding

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// Catalogue lists and searches the books for sale. No caller needs to sign in.
type Catalogue struct {
	reader  Reader
	standby market.OnStandby[Catalogue]
}

// NewCatalogue returns a catalogue.
func NewCatalogue(r Reader) *Catalogue {
	return &Catalogue{reader: r}
}

// WithStandby lets lists and searches read from a standby, but never Get.
func (c *Catalogue) WithStandby(s market.OnStandby[Catalogue]) *Catalogue {
	c.standby = s
	return c
}

// List lists the books for sale except the caller's own.
func (c *Catalogue) List(ctx context.Context, by user.Caller, f Filter, p market.Page) ([]market.BookView, market.Cursor, error) {
	criteria, err := f.criteria(by.ID)
	if err != nil {
		return nil, "", err
	}
	page, err := market.ReadFor(ctx, by, c, c.standby, func(ctx context.Context, c *Catalogue) (found searchPage, err error) {
		found.views, found.next, err = c.listPage(ctx, criteria, f.Sort, p)
		return found, err
	})
	return page.views, page.next, err
}

func (c *Catalogue) listPage(ctx context.Context, criteria Criteria, s Sort, p market.Page) ([]market.BookView, market.Cursor, error) {
	at, n, err := p.Read()
	if err != nil {
		return nil, "", err
	}
	return c.list(ctx, criteria, s, at, n)
}

func (c *Catalogue) list(
	ctx context.Context, criteria Criteria, s Sort, at market.Position, n int,
) ([]market.BookView, market.Cursor, error) {
	views, err := c.reader.ListBooksForSale(ctx, criteria, s, at, n+1)
	if err != nil {
		return nil, "", err
	}
	views, next := market.Cut(views, n, s.position)
	return views, next, nil
}

func (s Sort) position(v market.BookView) market.Position {
	if s == PriceAsc || s == PriceDesc {
		return market.Position{Key: int64(v.Price), ID: int64(v.ID)}
	}
	return market.Position{ID: int64(v.ID)}
}

// maxOffset is more books than any market has; it keeps the sum of limit and offset from
// overflowing.
const maxOffset = 1_000_000_000

// ListByOffset lists at most limit books for sale, newest first, after the first offset
// books. List with a cursor is faster, and neither repeats nor omits books when others
// are posted or sold between two pages. It lists the caller's own books, too.
func (c *Catalogue) ListByOffset(ctx context.Context, by user.Caller, limit, offset int) ([]market.BookView, error) {
	if limit < 1 || limit > market.MaxLimit {
		return nil, market.ErrLimit
	}
	if offset < 0 {
		return nil, market.ErrSkip
	}
	if offset > maxOffset {
		return nil, nil
	}
	return market.ReadFor(ctx, by, c, c.standby, func(ctx context.Context, c *Catalogue) ([]market.BookView, error) {
		return c.reader.ListBooksForSaleByOffset(ctx, limit, offset)
	})
}

// Get returns one book; book.ErrNotFound if there is none or the caller may not see it.
func (c *Catalogue) Get(ctx context.Context, by user.Caller, id book.ID) (market.BookView, error) {
	views, err := c.reader.FindBookViews(ctx, id)
	if err != nil {
		return market.BookView{}, err
	}
	if len(views) == 0 || !views[0].VisibleTo(by) {
		return market.BookView{}, book.ErrNotFound
	}
	return views[0].ShownTo(by), nil
}
