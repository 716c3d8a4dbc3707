package web

import (
	"crypto/sha256"
	"encoding/hex"
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// BookFacts are what pages show of a book, in the language of the reader. A page has many of them, so
// they are written here and not in the templates, which would need several times as long. It has no
// embedded struct for the same reason: templates find the fields of one slowly.
type BookFacts struct {
	ID, Name, Course   string
	Edition, Price     string // "edition 3", "$24.00"
	Number             int    // of the edition
	Condition, Meaning string
	ISBN               book.ISBN
	Authors            string
	University, Seller string // the seller's first name
	Initial            string // of the seller
	Comments, Cover    string // the path of a picture
	Where              string // its university, on lists of several; "" on those of one
	Eager              bool   // it is on the first screen, so its picture is not loaded later
	Date               time.Time
	Status             book.Status
	Photos             []photo.Photo
	Order              *market.OrderView
}

// FactsOf writes a book for the readers of a language.
func FactsOf(f locale.Format, b market.BookView) *BookFacts {
	return &BookFacts{
		ID: b.ID.String(), Name: b.Name, Course: book.CourseLabel(b.Course), Where: b.University, Edition: Translate(f.Lang, "edition %d", b.Edition), Price: f.Money(b.Price),
		Condition: Translate(f.Lang, b.Condition.String()), Meaning: Translate(f.Lang, b.Condition.Meaning()), ISBN: b.ISBN, Authors: b.Authors,
		University: b.University, Seller: b.SellerName, Initial: initial(b.SellerName), Number: b.Edition, Comments: b.Comments, Cover: coverPath(b.Book, b.Photos),
		Date: b.Date, Status: b.Status, Photos: b.Photos, Order: b.Order,
	}
}

// initial is the first letter of a name, which stands for the picture of a person.
func initial(name string) string {
	for _, r := range name {
		return strings.ToUpper(string(r))
	}
	return "?"
}

// CopiesIn writes a number of copies.
func CopiesIn(lang user.Lang, n market.Count) string {
	if n.More {
		return Translate(lang, "more than %s copies", Number(lang, n.N))
	}
	return plural(lang, n.N, "%s copy", "%s copies")
}

// optionsOf writes the options of a list of suggestions, of which a page may have hundreds.
func optionsOf(texts []string) template.HTML {
	var b strings.Builder
	for _, text := range texts {
		b.WriteString(`<option value="`)
		b.WriteString(template.HTMLEscapeString(text))
		b.WriteString(`">`)
	}
	return template.HTML(b.String()) //nolint:gosec // the texts are escaped
}

// coverPath is the path of the picture that stands for a book in lists: its first photo, or a
// drawn cover. The path of a drawn cover changes with what is drawn.
func coverPath(b book.Book, photos []photo.Photo) string {
	if len(photos) > 0 {
		return photos[0].ID.Path(photo.Thumb)
	}
	return "/covers/" + b.ID.String() + "/" + CoverVersion(b)
}

// CoverVersion identifies all that coverOf draws, and how it draws it.
func CoverVersion(b book.Book) string {
	sum := sha256.Sum256([]byte(coverStyle + "\x00" + b.Name + "\x00" + b.Course + "\x00" + string(b.ISBN)))
	return hex.EncodeToString(sum[:6])
}

// coverStyle changes whenever the drawing does.
const coverStyle = "2"

// photoSet lists the pictures of a photo with their widths, of which browsers choose one for their screen.
func photoSet(p photo.Photo) template.Srcset {
	width := func(side int) string { return strconv.Itoa(max(1, p.Width*side/max(p.Width, p.Height, side))) + "w" }
	return template.Srcset(p.ID.Path(photo.Thumb) + " " + width(photo.ThumbSide) + ", " + p.ID.Path(photo.Large) + " " + width(photo.LargeSide)) //nolint:gosec // of numbers
}

// photoPath is the path of a photo or, if thumb, of its thumbnail.
func photoPath(p photo.Photo, thumb bool) string {
	if thumb {
		return p.ID.Path(photo.Thumb)
	}
	return p.ID.Path(photo.Large)
}
