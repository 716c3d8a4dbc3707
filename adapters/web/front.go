package web

import (
	"net/http"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpkit"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
)

// frontBooks is how many books the front page shows.
const frontBooks = 24

type frontView struct {
	Say     frontWords
	Market  bool
	Query   string
	Heading string
	Trouble string
	Nothing string // where there are no books
	Books   []bookView
	Links   []Link
}

type bookView struct {
	Name, Course, Price, Condition, Meaning, University, ISBN string
	Edition                                                   int
}

type frontWords struct{ Head, Lead, Label, Example, Button, Newest, Found, Nothing, Empty, Edition, More, Away string }

var frontSays = map[user.Lang]frontWords{
	user.EN: {
		Head: "Textbooks from students, for students", Label: "Title, course code or ISBN", Example: "linear algebra, MATH 165, 978-0-306-40615-7",
		Lead:   "Sell the books of last term and find those of the next. What you look for is matched by itself, and every copy is checked before money moves.",
		Button: "Search", Newest: "New on the market", Found: "Found", Nothing: "No book for sale fits.", Empty: "Nothing is for sale yet.", Edition: "edition", More: "More",
		Away: "The books cannot be shown at the moment. Please try again soon.",
	},
	user.FR: {
		Head: "Des manuels d’étudiants à étudiants", Label: "Titre, code de cours ou ISBN", Example: "algèbre linéaire, MATH 165, 978-0-306-40615-7",
		Lead:   "Vendez les livres du trimestre passé et trouvez ceux du prochain. Vos demandes trouvent seules leur livre, et chaque exemplaire est vérifié avant tout paiement.",
		Button: "Chercher", Newest: "Nouveau sur le marché", Found: "Trouvé", Nothing: "Aucun livre en vente ne correspond.", Empty: "Rien n’est encore en vente.", Edition: "édition", More: "Autres pages",
		Away: "Les livres ne peuvent pas être affichés pour le moment. Veuillez réessayer bientôt.",
	},
}

// front serves GET /: what Octavo is, and the books for sale.
func (p *Pages) front(w http.ResponseWriter, r *http.Request) {
	lang := langOf(r)
	v := frontView{Say: frontSays[lang], Market: p.Catalogue != nil, Links: p.Links, Query: strings.TrimSpace(r.URL.Query().Get("q"))}
	status := http.StatusOK
	if v.Market {
		books, err := p.booksOnFront(r, v.Query)
		if err != nil {
			p.log(r, "front page", err)
			httpkit.SetRetryAfter(w.Header(), err)
			status, v.Trouble = httpkit.Status(err), v.Say.Away
		}
		v.Books, v.Heading, v.Nothing = shown(books), v.Say.Newest, v.Say.Empty
	}
	if v.Query != "" {
		v.Heading, v.Nothing = v.Say.Found, v.Say.Nothing
	}
	w.Header().Set("Cache-Control", "no-cache")
	p.show(w, r, status, "front", frame{lang, v.Say.Head, v})
}

func (p *Pages) booksOnFront(r *http.Request, query string) ([]market.BookView, error) {
	page := market.Page{Limit: frontBooks}
	if query == "" {
		books, _, err := p.Catalogue.List(r.Context(), user.Caller{}, market.Filter{}, page)
		return books, err
	}
	books, _, err := p.Catalogue.Search(r.Context(), user.Caller{}, query, market.Filter{}, page)
	return books, err
}

func shown(books []market.BookView) []bookView {
	views := make([]bookView, len(books))
	for i, b := range books {
		views[i] = bookView{
			Name: b.Name, Course: b.Course, Price: b.Price.String(), Condition: b.Condition.String(), Meaning: b.Condition.Meaning(),
			University: b.University, ISBN: string(b.ISBN), Edition: b.Edition,
		}
	}
	return views
}
