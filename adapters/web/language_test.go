package web_test

import "testing"

func TestAReaderChoosesTheLanguageOfThePages(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	ada.open("/me").shows(200, "My books", `value="/me"`)
	chosen := ada.send("/language", "lang", "fr", "back", "/wanted?name=x").shows(200, "Vos demandes", `lang="fr"`)
	if chosen.at != "/wanted?name=x" {
		t.Errorf("the reader is sent to %s", chosen.at)
	}
	ada.open("/me").shows(200, "Mes livres")
	ada.send("/language", "lang", "xx", "back", "https://evil.example/").shows(200, `lang="fr"`)
	ada.send("/language", "lang", "en", "back", "/me").shows(200, "My books")
}

func TestTheHeaderCountsTheBooksInTheCart(t *testing.T) {
	c := newCampus(t)
	ada, ben := c.student("Ada"), c.student("Ben")
	id := ada.offers("Variations", "35")
	ben.open("/me").lacks("books in it", "book in it")
	ben.open("/?q=Variations").shows(200, `name="id" value="`+id+`"`)
	ben.send("/cart/add", "id", id).shows(200, "1 book in it")
}
