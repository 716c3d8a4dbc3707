package pasted

import (
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/text"
)

// conditionNames are what people call the conditions, by text.Key.
var conditionNames = func() map[string]book.Condition {
	names := map[string]book.Condition{}
	for _, c := range book.Conditions() {
		names[text.Key(c.String())] = c
		for name := range strings.SplitSeq(synonyms[c], ",") {
			names[text.Key(name)] = c
		}
	}
	return names
}()

// synonyms are what shops and people call the conditions in English and French, and in the languages of
// spreadsheets that are common besides.
var synonyms = map[book.Condition]string{
	book.New: "brand new,unused,unread,sealed,never used,neuf,neuve,état neuf,jamais utilisé,jamais lu,neu,unbenutzt,nuevo,nueva,novo,nova," +
		"nuovo,nuova,ny,nytt,nowy,nowa,nowe,nieuw,新品,未使用,全新,नया,नई",
	book.LikeNew: "as new,nearly new,near new,almost new,mint,near mint,excellent,comme neuf,comme neuve,quasi neuf,quasi neuve," +
		"presque neuf,excellent état,parfait état,wie neu,neuwertig,como nuevo,como novo,seminovo,come nuovo,som ny,som nytt,nyskick,jak nowy,jak nowa,jak nowe,prawie nowy,prawie nowa,als nieuw,zo goed als nieuw," +
		"ほぼ新品,新品同様,美品,非常に良い,九成新,नए जैसा",
	book.Good: "very good,fine,good condition,bon,bonne,très bon,très bonne,bon état,très bon état,gut,sehr gut,guter zustand,bueno,buena," +
		"muy bueno,buen estado,bom,boa,muito bom,bom estado,buono,molto buono,bra,bra skick,gott skick,dobry,dobra,bardzo dobry,bardzo dobra,dobry stan,goed,goede staat,zeer goed,良い,良,良好,良品,अच्छा,अच्छी",
	book.Fair: "acceptable,average,ok,okay,well used,moyen,moyenne,correct,état correct,état moyen,passable,acceptable condition,satisfaisant," +
		"akzeptabel,befriedigend,mittel,aceptable,regular,aceitável,razoável,accettabile,discreto,okej,godtagbart,dostateczny,dostateczna,średni,średnia,redelijk,acceptabel,可,普通,ठीक,ठीक-ठाक",
	book.Poor: "worn,heavily used,heavily worn,damaged,mauvais,mauvaise,mauvais état,usé,usée,très usé,abîmé,abîmée,schlecht,stark gebraucht," +
		"beschädigt,malo,mal estado,ruim,mau,mau estado,cattivo,scarso,dåligt,dålig,slitet,sliten,zły,zła,zniszczony,zniszczona,zużyty,zużyta,slecht,beschadigd,悪い,不可,難あり,खराब",
}

// usedWords surround the name of a condition without a meaning of their own.
var usedWords = []string{"used", "condition", "conditions", "doccasion", "occasion", "etat", "gebraucht", "zustand", "中古"}

// Condition returns the condition that a text names: one of our names in any case, or what shops and people
// call it in English and French. "Used" alone is none, and so is "bad", which shops say of neither Fair nor Poor.
func Condition(typed string) (book.Condition, bool) {
	key := text.Key(plain(typed, maxValue))
	for {
		if c, ok := conditionNames[key]; ok {
			return c, true
		}
		i := slices.IndexFunc(usedWords, func(w string) bool { return strings.HasPrefix(key, w) || strings.HasSuffix(key, w) })
		if i < 0 || key == "" {
			return 0, false
		}
		if rest, ok := strings.CutPrefix(key, usedWords[i]); ok {
			key = rest
		} else {
			key = strings.TrimSuffix(key, usedWords[i])
		}
	}
}
