package book

import "github.com/octavo-books/octavo/domain/lexicon"

// fillers are words that people add to a search but that do not narrow it: what a book is, how it is
// printed, a part of it, and articles, in some languages.
var fillers = func() map[string]bool {
	words := lexicon.Split(`book books textbook textbooks novel ebook pdf paperback hardcover hardback copy used cheap isbn by
		part volume volumes vol livre livres manuel manuels roman romans tome buch bücher lehrbuch teil band
		libro libros novela libri romanzo livro livros romance książka podręcznik powieść tom boek leerboek kitap
		книга книги книгу учебник учебника роман по в на и том часть підручник βιβλίο μυθιστόρημα
		der die das ein eine el los las una il lo gli os het een
		كتاب رواية روايه ספר पुस्तक किताब उपन्यास 책 소설 교재 권 卷 册 冊 巻 教材 课本 小说 小説`).Words
	return setOf(words...)
}()

// editionWords mark the numbers in a query as editions rather than courses.
var editionWords = setOf("ed", "edn", "edition", "editions", "auflage", "aufl", "edicion", "edizione", "editie", "wydanie")

func isEditionWord(w string) bool { return editionWords[w] }
