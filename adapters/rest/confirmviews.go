package rest

import "github.com/octavo-books/octavo/domain/user"

// confirmView is the page behind the link of the confirmation mail.
type confirmView struct {
	Lang                user.Lang
	Title, Text, Button string
	Go, Goal            string // where to go on, and the page's address
	Ask                 *confirmForm
}

// confirmForm is what stands above and in the form that confirms.
type confirmForm struct {
	NameLabel, Name   string // Name is "" where nobody was asked for one
	EmailLabel, Email string
	Stranger          string
	Label, Hint       string // of the field for a password
	Refusal           string // "" unless the password was refused
}

// The pages, by language.
var (
	confirmAsk = map[user.Lang]confirmView{
		user.EN: {user.EN, "Confirm your address", "Press the button to confirm your address and open this account.", "Confirm", "", "", &confirmForm{
			NameLabel: "Name", EmailLabel: "Address",
			Stranger: "If you do not know of this sign-up, close this page and no account is opened.",
			Label:    "Your own password (optional)",
			Hint:     "It replaces the password of the sign-up: set one if anybody else may have signed up with your address. 8 to 128 characters.",
			Refusal:  "This password cannot be used. Choose one of 8 to 128 characters that is not a common one and not your address.",
		}},
		user.FR: {user.FR, "Confirmez votre adresse", "Appuyez sur le bouton pour confirmer votre adresse et ouvrir ce compte.", "Confirmer", "", "", &confirmForm{
			NameLabel: "Nom", EmailLabel: "Adresse",
			Stranger: "Si cette inscription ne vous dit rien, fermez cette page : aucun compte ne sera ouvert.",
			Label:    "Votre propre mot de passe (facultatif)",
			Hint:     "Il remplace celui de l’inscription : choisissez-en un si quelqu’un d’autre a pu s’inscrire avec votre adresse. De 8 à 128 caractères.",
			Refusal:  "Ce mot de passe ne convient pas. Choisissez-en un de 8 à 128 caractères, ni courant ni identique à votre adresse.",
		}},
	}
	confirmDone = map[user.Lang]confirmView{
		user.EN: {user.EN, "Your address is confirmed", "You can sign in now.", "", "Sign in", "/login", nil},
		user.FR: {user.FR, "Votre adresse est confirmée", "Vous pouvez maintenant vous connecter.", "", "Se connecter", "/login", nil},
	}
	confirmNoPassword = map[user.Lang]confirmView{
		user.EN: {user.EN, "Your address is confirmed", "More than one sign-up with different passwords was made for it, so none of them was kept. We have mailed you a code; set your password with it, then sign in.", "", "Set the password", "/reset", nil},
		user.FR: {user.FR, "Votre adresse est confirmée", "Plusieurs inscriptions avec des mots de passe différents ont été faites pour elle ; aucun n’a donc été gardé. Nous vous avons envoyé un code : choisissez avec lui votre mot de passe, puis connectez-vous.", "", "Choisir le mot de passe", "/reset", nil},
	}
	confirmBefore = map[user.Lang]confirmView{
		user.EN: {user.EN, "Your address was confirmed before", "Your password was not changed now. Sign in with the one that you chose then, or ask for a code to set another.", "", "Sign in", "/login", nil},
		user.FR: {user.FR, "Votre adresse était déjà confirmée", "Votre mot de passe n’a pas été changé maintenant. Connectez-vous avec celui que vous aviez choisi, ou demandez un code pour en choisir un autre.", "", "Se connecter", "/login", nil},
	}
	confirmGone = map[user.Lang]confirmView{
		user.EN: {user.EN, "This link does not work", "It may have expired after 24 hours, or a newer one was sent. Ask for a new one and try again.", "", "Send another one", "/resend", nil},
		user.FR: {user.FR, "Ce lien ne fonctionne pas", "Il a peut-être expiré après 24 heures, ou un lien plus récent a été envoyé. Demandez-en un nouveau et réessayez.", "", "En envoyer un autre", "/resend", nil},
	}
	confirmLater = map[user.Lang]confirmView{
		user.EN: {user.EN, "Please try again", "This does not work right now. Your link stays good; try again in a moment.", "", "", "", nil},
		user.FR: {user.FR, "Veuillez réessayer", "Cela ne fonctionne pas pour le moment. Votre lien reste valable ; réessayez dans un instant.", "", "", "", nil},
	}
)
