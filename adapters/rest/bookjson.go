package rest

import (
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/photo"
)

// appendBooks appends books exactly as json.Marshal would encode them after bookOf.
// Book lists are the most frequent responses, and reflection would cost more than
// everything else in this package: 25 µs of CPU for 20 books instead of 5.
func (h *Handler) appendBooks(b []byte, views []market.BookView) ([]byte, error) {
	b = append(b, '[')
	for i := range views {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = h.appendBook(b, &views[i]); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

// appendBook appends one book. Books with a sale are rare, so json encodes them.
func (h *Handler) appendBook(b []byte, v *market.BookView) ([]byte, error) {
	if v.Order != nil {
		text, err := json.Marshal(h.bookOf(*v))
		return append(b, text...), err
	}
	b = appendText(append(b, `{"Comments":`...), v.Comments)
	b = append(b, `,"ISBN":`...)
	if v.ISBN == "" {
		b = append(b, "null"...)
	} else {
		b = appendText(b, string(v.ISBN))
	}
	b = appendText(append(b, `,"authors":`...), v.Authors)
	b = appendText(append(b, `,"condition":`...), v.Condition.String())
	b = appendText(append(b, `,"course":`...), v.Course)
	b = appendTime(append(b, `,"createdAt":`...), v.CreatedAt)
	b = appendText(append(b, `,"currency":`...), h.cfg.Currency.Code())
	b = appendTime(append(b, `,"date":`...), v.Date)
	b = strconv.AppendInt(append(b, `,"edition":`...), int64(v.Edition), 10)
	b = appendText(append(b, `,"id":`...), v.ID.String())
	b = appendText(append(b, `,"name":`...), v.Name)
	b = appendPhotos(append(b, `,"photos":`...), v.Photos)
	b = append(append(b, `,"price":`...), h.cfg.Currency.Format(v.Price)...)
	b = appendText(append(b, `,"seller":{"firstName":`...), v.SellerName)
	b = appendText(append(b, `,"id":`...), v.Seller.String())
	b = strconv.AppendInt(append(b, `},"status":`...), int64(v.Status), 10)
	b = appendText(append(b, `,"university":`...), v.University)
	return append(b, '}'), nil
}

func appendPhotos(b []byte, all []photo.Photo) []byte {
	b = append(b, '[')
	for i, p := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"height":`...), int64(p.Height), 10)
		b = appendText(append(b, `,"id":`...), p.ID.String())
		b = appendText(append(b, `,"thumbUrl":`...), p.ID.Path(photo.Thumb))
		b = appendText(append(b, `,"url":`...), p.ID.Path(photo.Large))
		b = strconv.AppendInt(append(b, `,"width":`...), int64(p.Width), 10)
		b = append(b, '}')
	}
	return append(b, ']')
}

func appendTime(b []byte, t time.Time) []byte {
	b = t.UTC().AppendFormat(append(b, '"'), time.RFC3339Nano)
	return append(b, '"')
}

// appendText quotes plain ASCII and leaves texts that need escaping to json.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == 0x7f {
			text, _ := json.Marshal(s) // cannot fail
			return append(b, text...)
		}
	}
	b = append(append(b, '"'), s...)
	return append(b, '"')
}
