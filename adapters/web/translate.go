package web

import (
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// translate returns an English text in a language. A text without a translation
// stays English; a test checks that every text has one. With arguments the text is
// a format for fmt.Sprintf.
func translate(lang user.Lang, english string, args ...any) string {
	return catalogues[lang].text(english, args...)
}

// plural returns one or many, translated and formatted with n. In French zero
// takes the singular.
func plural(lang user.Lang, n int, one, many string) string {
	return catalogues[lang].plural(n, one, many, number(lang, n))
}

// errorMessage returns the message of err for people, in their language.
func errorMessage(lang user.Lang, err error) string {
	if f := fault.As(err); f != nil {
		for _, code := range []string{f.Details["reason"], f.Code} {
			if s, ok := catalogues[lang].lookup("error", code); ok {
				return s
			}
		}
	}
	return translate(lang, httpx.PublicMessage(err))
}

// flashMessages are shown at the top of the page after a form was submitted. The
// flash cookie contains their names.
var flashMessages = map[string]string{
	"posted":          "Your book is listed. Students who requested it are being notified.",
	"changed":         "Your changes are saved.",
	"photos":          "The photos are added.",
	"nophoto":         "The photo was removed.",
	"unlisted":        "The book is no longer for sale.",
	"listed":          "The book is for sale again.",
	"wanted":          "Your request is saved. We’ll notify you as soon as the book is listed.",
	"withdrawn":       "Your request was withdrawn.",
	"course_added":    "The course is added.",
	"course_removed":  "The course is removed.",
	"course_asked":    "The missing books are requested, except those that you have or offer. We notify you when somebody lists one.",
	"used_listed":     "Your books are listed. Students who requested them are being notified.",
	"courses_saved":   "The courses are saved.",
	"courses_removed": "The courses of this term are removed.",
	"searchsaved":     "Saved. We tell you when a new book fits.",
	"searchdeleted":   "The search was deleted.",
	"searchmailed":    "You get an email when a new book fits, at most one a day.",
	"searchstopped":   "You get no more emails about this search.",
	"added":           "The book is in your cart. It is not reserved until you buy it.",
	"removed":         "The book was removed from your cart.",
	"cleared":         "Your cart is now empty.",
	"bought":          "Your order is placed. You are charged once the condition of the books is verified.",
	"bought_meet":     "Your order is placed. You are charged once you have met the seller and checked the books.",
	"bought_both":     "Your order is placed. You are charged once the books were checked, by you or at the desk.",
	"bought_direct":   "Your order is placed. You pay the seller when you meet.",
	"password":        "Your password was changed. Your other devices have been signed out.",
	"reset":           "Your password is set. You can now sign in.",
	"verified":        "Your address is confirmed. You can now sign in.",
	"suspended":       "The account is suspended, and its owner was told why.",
	"unsuspended":     "The suspension is lifted.",
	"leaving":         "Your account will be deleted in 14 days. We have sent you an email with a link to keep it.",
	"moved":           "Your email address was changed.",
	"unlinked":        "This service can no longer sign you in.",
	"codesent":        "We have sent you a code.",
	"linkedfor":       "The person can sign in with this service now.",
	"recognised":      "This application wants you to sign in anew, and that service knew you from before. Sign in here in another way, or sign out there first.",
	"othersubject":    "The account of your address belongs to another sign-in at this service. If it is yours, sign in with its password or a passkey and connect this one, too. Or ask an admin.",
	"totpoff":         "The authenticator app is turned off.",
	"passkeyon":       "The passkey was added.",
	"passkeyoff":      "The passkey was removed.",
	"allended":        "All sessions of this account have ended.",
	"invited":         "The invitation is on its way.",
	"uninvited":       "The invitation was revoked.",
	"profile":         "Please complete your student profile first.",
	"ended":           "The device was signed out.",
	"goodbye":         "You are signed out.",
	"confirmed":       "The condition is verified and the buyer has been charged.",
	"paid":            "The book is delivered and the seller has been paid.",
	"cancelled":       "The sale was cancelled. The buyer and the seller have been notified.",
	"blocked":         "You do not get messages from each other any more.",
	"unblocked":       "You can write to each other again.",
	"withdrawn_order": "The order is cancelled. The buyer and the seller have been notified.",
	"nothing_chosen":  "Tick the books that you have checked.",
	"no_book_chosen":  "Tick the books to unlist.",
	"rated":           "Thank you. You can change it until 14 days after the delivery.",
	"reported":        "Thank you. An admin will look at it.",
	"decided":         "The decision is stored, and those who reported it have been notified.",
	"meet_proposed":   "The other side has been notified of your proposal.",
	"meet_accepted":   "You have agreed on where and when to meet.",
	"handed_over":     "The book is handed over. We charge the buyer next, and then pay you.",
	"handed_direct":   "The book is handed over. The buyer pays you directly.",
	"settled":         "The buyer has been charged and the seller has been paid.",
	"place_saved":     "The place is saved.",
	"place_removed":   "The place is removed.",
	"desk_saved":      "The desk is saved.",
	"desk_removed":    "The desk is removed.",
	"storeon":         "This is a campus store now.",
	"storeoff":        "This is no campus store any more.",
	"promoted":        "The role was changed. It takes effect immediately.",
	"tidied":          "The books were unlisted and their sellers notified.",
	"work_retried":    "It is tried again.",
	"work_dropped":    "It was dropped and is never done.",
	"clientgone":      "The application was removed, and its sessions have ended.",
	"consent":         "The application may no longer use your account.",
}
