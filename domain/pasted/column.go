package pasted

import (
	"strings"

	"github.com/octavo-books/octavo/domain/text"
)

// columnNames are the fields of a book by what people call their columns.
var columnNames = func() map[string]string {
	names := map[string]string{}
	for field, list := range fieldNames {
		names[text.Key(field)] = field
		for name := range strings.SplitSeq(list, ",") {
			names[text.Key(name)] = field
		}
	}
	return names
}()

// fieldNames are what people call the columns of a file of books: in English and French, and in the languages of
// spreadsheets that are common besides. The fields are named as in the API.
var fieldNames = map[string]string{
	"name": "title,book,book title,book name,item,titre,livre,titre du livre,nom,nom du livre,ouvrage,titel,buch,buchtitel,bok,boktitel,título," +
		"libro,livro,titolo,título del libro,título do livro,titolo del libro,tytuł,książka,tytuł książki,titel van het boek,boek,boektitel,タイトル,書名,題名,本,教科書,名前,书名,शीर्षक,पुस्तक,किताब",
	"edition": "ed,edn,edition number,édition,numéro d’édition,n° d’édition,auflage,ausgabe,edición,edição,edizione,wydanie,nr wydania,druk,editie,uitgave,upplaga,utgåva,版,版数,エディション," +
		"संस्करण",
	"course": "course code,course number,class,module,subject,cours,code du cours,code cours,matière,ue,kurs,kurskod,modul,veranstaltung,fach,curso," +
		"disciplina,asignatura,materia,corso,insegnamento,kod kursu,przedmiot,zajęcia,vak,cursus,vakcode,科目,授業,講義,コース,科目コード,课程,पाठ्यक्रम,कोर्स,विषय",
	"price": "asking price,selling price,your price,amount,prix,prix demandé,prix de vente,montant,preis,verkaufspreis,pris,precio,precio de venta,preço,preço de venda,prezzo,prezzo di vendita,cena,cena sprzedaży,prijs,vraagprijs,verkoopprijs," +
		"価格,値段,金額,販売価格,价格,मूल्य,कीमत,दाम",
	"condition": "state,quality,grade,book condition,état,état du livre,zustand,skick,estado,condición,condição,conservação,estado de conservação,estado del libro,estado do livro,stato,stato del libro,condizione,condizioni," +
		"stan,stan książki,staat,conditie,toestand,状態,コンディション,状态,स्थिति,हालत",
	"date": "available,available from,availability,available on,date available,from,disponible,disponible le,disponible dès,disponible à partir du," +
		"disponibilité,date de disponibilité,datum,verfügbar,verfügbar ab,tillgänglig,tillgänglig från,fecha,disponible desde,disponible a partir de,fecha de disponibilidad,data,disponível,disponível em,disponível a partir de,disponível desde," +
		"data de disponibilidade,disponibile,disponibile dal,disponibile da,data di disponibilità,dostępne od,dostępna od,dostępny od,dostępność,od kiedy,beschikbaar,beschikbaar vanaf,vanaf,日付,販売開始日," +
		"利用可能日,日期,दिनांक,तारीख,तिथि",
	"ISBN": "isbn13,isbn 13,isbn10,isbn 10,isbn number,isbn ean,ean,ean13,barcode,code barres,numéro isbn,isbn nummer,código isbn,ＩＳＢＮ,आईएसबीएन",
	"Comments": "comment,notes,note,remarks,remark,description,details,commentaire,commentaires,remarque,remarques,observations,bemerkung," +
		"bemerkungen,anmerkung,anmerkungen,kommentar,kommentarer,beschreibung,comentario,comentarios,comentário,comentários,notas,observación,observaciones,observação,observações,descripción,descrição,commenti,osservazioni,descrizione,uwagi,uwaga,opis,komentarz,opmerking,opmerkingen,beschrijving,コメント,備考," +
		"説明,备注,टिप्पणी,टिप्पणियाँ",
	"authors": "author,writer,writers,by,auteur,auteurs,auteur(s),author(s),autor,autoren,verfasser,författare,autor(es),autores,autore,autori,autorzy,autor/autorzy,schrijver,著者,作者,लेखक",
}

// Column returns the field of a book that the name of a column means, as the API calls it: "Titre" is the name,
// "Prix (€)" the price. It returns "" for other names.
func Column(name string) string {
	name = plain(name, maxValue)
	if field := columnNames[text.Key(name)]; field != "" {
		return field
	}
	if i := strings.IndexAny(name, "([:*"); i > 0 {
		return columnNames[text.Key(name[:i])]
	}
	return ""
}

// totals are the words of the line with which spreadsheets end.
var totals = keysOf(
	"total totals sum subtotal grandtotal count somme soustotal totalgeneral nombre summe gesamt gesamtsumme zwischensumme anzahl " +
		"summa totalt antal suma totalgeral soma totale totali razem łącznie ogółem totaal som 合計 総計 小計 计 总计 कुल योग",
)

// keysOf returns the keys of words.
func keysOf(words string) map[string]bool {
	keys := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		keys[text.Key(word)] = true
	}
	return keys
}

// IsTotal reports whether the cells of a line of a file, by their fields, are sums and not a book: a word such as
// "Total" and numbers, or a price alone.
func IsTotal(fields map[string]string) bool {
	word, filled := false, 0
	for field, cell := range fields {
		if cell == "" {
			continue
		}
		filled++
		if totals[text.Key(cell)] {
			word = true
		} else if field != "price" && strings.Trim(cell, "0123456789.,' \u00a0\u202f") != "" {
			return false
		}
	}
	return word || filled == 1 && fields["price"] != ""
}
