package book

// fillers are words that people add to a search but that do not narrow it.
var fillers = setOf("book", "books", "textbook", "textbooks", "livre", "livres", "manuel", "manuels", "isbn",
	"part", "volume", "volumes", "vol", "tome", "teil", "band", "tom", "卷", "册", "冊", "巻", "권")

// editionWords mark the numbers in a query as editions rather than courses.
var editionWords = setOf("ed", "edn", "edition", "editions", "auflage", "aufl", "edicion", "edizione", "editie", "wydanie")
