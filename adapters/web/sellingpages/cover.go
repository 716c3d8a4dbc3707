package sellingpages

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// serveCover serves GET /covers/:id/:version, to those who may see the book. The title comes
// from the book and not from the path: nobody can make a picture of other words here.
func (p *Pages) serveCover(w http.ResponseWriter, r *http.Request) {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	by, _ := httpx.CallerFrom(r.Context())
	b, err := p.Market.Catalogue.Get(r.Context(), by, web.IDOf[book.ID](path[1]))
	if err != nil {
		p.refusePicture(w, r, err)
		return
	}
	version := web.CoverVersion(b.Book)
	etag := `"` + version + `"`
	p.setPictureHeader(w, r, b.VisibleTo(user.Caller{}), etag, market.BookKeys(b.Book))
	if path[2] != version { // from a page that is older than the title
		w.Header().Set("Cache-Control", "private, no-cache")
		p.Keys.Remove(w.Header())
	}
	if httpx.IsCurrent(r, etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	_, _ = w.Write(coverOf(b.Book))
}

// servePicture serves GET /covers/:id: what stands for a book wherever it is named, its first photo or a drawn cover. It may
// change, so browsers ask again.
func (p *Pages) servePicture(w http.ResponseWriter, r *http.Request) {
	by, _ := httpx.CallerFrom(r.Context())
	b, err := p.Market.Catalogue.Get(r.Context(), by, web.IDOf[book.ID](strings.TrimPrefix(r.URL.Path, "/covers/")))
	if err != nil {
		p.refusePicture(w, r, err)
		return
	}
	etag, kind, draw := `"`+web.CoverVersion(b.Book)+`"`, "image/svg+xml", func() ([]byte, error) { return coverOf(b.Book), nil }
	if len(b.Photos) > 0 {
		first, _, err := p.Market.Photos.Find(r.Context(), by, b.Photos[0].ID) // with the sum of its picture
		if err != nil {
			p.refusePicture(w, r, err)
			return
		}
		etag, kind = photoTag(first, photo.Thumb), "image/jpeg"
		draw = func() ([]byte, error) { return p.Market.Photos.Read(r.Context(), first, photo.Thumb) }
	}
	w.Header().Set("Cache-Control", "private, max-age=60")
	w.Header().Set("ETag", etag)
	if httpx.IsCurrent(r, etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	data, err := draw()
	if err != nil {
		p.refusePicture(w, r, err)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(data)
}

// coverColours are dark enough for white text on them: the contrast is at least 5 to 1.
var coverColours = []string{
	"#14507a", "#7a2e14", "#1f5c3a", "#5b2a73", "#80214f", "#3d4a1a", "#274690", "#6b3f0a", "#0f5a5f", "#4a4a68", "#8a1f2d", "#33566b",
}

// coverOf draws a cover: the colour is that of the course, the pattern that of the ISBN.
func coverOf(b book.Book) []byte {
	seed := string(b.ISBN)
	if seed == "" {
		seed = book.TitleKey(b.Name)
	}
	colour := coverColours[hashOf(text.Key(b.Course))%uint64(len(coverColours))]
	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 400" width="300" height="400" role="img"><rect width="300" height="400" fill="%s"/>`, colour)
	drawPattern(&s, hashOf(seed))
	fmt.Fprintf(&s, `<rect y="36" width="300" height="214" fill="%s" opacity=".82"/><rect width="14" height="400" opacity=".25"/>`, colour)
	s.WriteString(`<g fill="#fff" font-family="Georgia,'Times New Roman',serif" font-size="25" font-weight="700">`)
	for i, line := range coverLines(b.Name) {
		fmt.Fprintf(&s, `<text x="30" y="%d">%s</text>`, 76+i*34, escaped(line))
	}
	fmt.Fprintf(&s, `</g><text x="32" y="370" fill="#fff" font-family="system-ui,sans-serif" font-size="21">%s</text></svg>`, escaped(shortened(book.CourseLabel(b.Course), 22)))
	return []byte(s.String())
}

func hashOf(s string) uint64 {
	sum := sha256.Sum256([]byte(s))
	return binary.BigEndian.Uint64(sum[:])
}

// drawPattern draws one of four patterns with the bits of the seed.
func drawPattern(s *strings.Builder, seed uint64) {
	s.WriteString(`<g fill="#fff" opacity=".16">`)
	kind := seed % 4
	for row := range 8 {
		for column := range 6 {
			x, y := column*50, row*50
			bits := seed >> (uint(row*6+column) % 58) & 15
			size := 12 + int(bits)
			switch {
			case bits < 4:
			case kind == 0:
				fmt.Fprintf(s, `<circle cx="%d" cy="%d" r="%d"/>`, x+25, y+25, size)
			case kind == 1:
				fmt.Fprintf(s, `<path d="M%d %dh50v50z"/>`, x, y)
			case kind == 2:
				fmt.Fprintf(s, `<rect x="%d" y="%d" width="50" height="%d"/>`, x, y, size)
			default:
				fmt.Fprintf(s, `<path d="M%d %dl25 -25l25 25l-25 25z"/>`, x, y+25)
			}
		}
	}
	s.WriteString(`</g>`)
}

const (
	coverLineLength = 15
	coverMaxLines   = 5
)

// coverLines breaks a title into the lines of a cover. It shortens what does not fit.
func coverLines(title string) (lines []string) {
	for _, word := range strings.Fields(title) {
		word = shortened(word, coverLineLength)
		last := len(lines) - 1
		switch {
		case last >= 0 && utf8.RuneCountInString(lines[last])+1+utf8.RuneCountInString(word) <= coverLineLength:
			lines[last] += " " + word
		case len(lines) == coverMaxLines:
			lines[last] = shortened(lines[last]+strings.Repeat(" ", coverLineLength), coverLineLength)
			return lines
		default:
			lines = append(lines, word)
		}
	}
	return lines
}

// shortened cuts a text to n characters, the last of which is an ellipsis then.
func shortened(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return strings.TrimRight(string(runes[:n-1]), " …") + "…"
}

// escaped writes a text for XML. Characters that XML cannot have become U+FFFD.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder takes everything
	return b.String()
}
