package config_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
)

func TestTheHelpFollowsTheWayInWhichBooksChangeHands(t *testing.T) {
	for mode, want := range map[string][2]bool{"desk": {true, false}, "meet": {false, true}, "both": {true, true}} {
		s := settings.Default(t)
		s.Market.Handover = mode
		texts := must.Get(s.Texts(true))(t)
		for lang, words := range map[user.Lang][2]string{user.EN: {"our staff check", "show the code"}, user.FR: {"notre équipe", "montrez le code"}} {
			body := string(texts["help"].InLang[lang].Main)
			if got := [2]bool{strings.Contains(body, words[0]), strings.Contains(body, words[1])}; got != want {
				t.Errorf("%s in %s: desk and meeting are %v, want %v", mode, lang, got, want)
			}
		}
	}
}
