package web

import (
	"fmt"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// say writes a sentence in a language. Pages are written in English; what is
// missing in another language stays so, and a test sees to it that nothing is.
// With arguments the sentence is a format.
func say(lang user.Lang, english string, args ...any) string {
	s := english
	if french, ok := inFrench[english]; ok && lang == user.FR {
		s = french
	}
	if len(args) == 0 {
		return s
	}
	return fmt.Sprintf(s, args...)
}

// counted is a sentence about n things, which is its first argument: one for a single
// thing, another for many. In French none is singular, too.
func counted(lang user.Lang, n int, one, many string) string {
	if n == 1 || n == 0 && lang == user.FR {
		return say(lang, one, number(lang, n))
	}
	return say(lang, many, number(lang, n))
}

// sentence is what a person may read of a failure, in their language.
func sentence(lang user.Lang, err error) string {
	if f := fault.As(err); f != nil && lang == user.FR {
		if s, ok := refusalsInFrench[f.Code]; ok {
			return s
		}
	}
	return say(lang, httpx.PublicMessage(err))
}

// noticeSentences are the sentences that a page begins with after a form was sent, by their
// names in cookies.
var noticeSentences = map[string]string{
	"posted":    "Your book is listed. Students who requested it are being notified.",
	"changed":   "Your changes are saved.",
	"unlisted":  "The book is no longer for sale.",
	"listed":    "The book is for sale again.",
	"wanted":    "Your request is saved. We’ll notify you as soon as the book is listed.",
	"withdrawn": "Your request was withdrawn.",
	"added":     "The book is in your cart. It is not reserved until you buy it.",
	"removed":   "The book was removed from your cart.",
	"cleared":   "Your cart is now empty.",
	"bought":    "Your order is placed. You are charged once the condition of the books is verified.",
	"password":  "Your password was changed. Your other devices have been signed out.",
	"reset":     "Your password is set. You can now sign in.",
	"profile":   "Please complete your student profile first.",
	"ended":     "The device was signed out.",
	"goodbye":   "You are signed out.",
	"confirmed": "The condition is verified and the buyer has been charged.",
	"paid":      "The book is delivered and the seller has been paid.",
	"cancelled": "The sale was cancelled. The buyer and the seller have been notified.",
	"promoted":  "The role was changed. It takes effect immediately.",
	"tidied":    "The books were unlisted and their sellers notified.",
}
