package confirmpage

import "github.com/octavo-books/octavo/domain/user"

// view is the page that the link in a confirmation mail opens.
type view struct {
	Lang                user.Lang
	Title, Text, Button string
	Go, Goal            string // label and path of the link below the text
	Ask                 *form
}

// form is the form that confirms, and the account details above it.
type form struct {
	NameLabel, Name   string // Name is "" for an account without a profile
	EmailLabel, Email string
	Stranger          string
	Label, Hint       string // of the field for a password
	Refusal           string // "" unless a password was refused
}

// The pages, by language.
var (
	ask = map[user.Lang]view{
		user.EN: {user.EN, "Confirm your address", "Press the button to confirm your email address and open this account.", "Confirm", "", "", &form{
			NameLabel: "Name", EmailLabel: "Address",
			Stranger: "If you did not sign up, close this page, and no account will be created.",
			Label:    "Your own password (optional)",
			Hint:     "It replaces the password from the sign-up. Set one if someone else may have signed up with your address. 8 to 128 characters.",
			Refusal:  "This password is not accepted. Choose one of 8 to 128 characters that is neither common nor your address.",
		}},
		user.FR: {user.FR, "Confirmez votre adresse", "Appuyez sur le bouton pour confirmer votre adresse et ouvrir ce compte.", "Confirmer", "", "", &form{
			NameLabel: "Nom", EmailLabel: "Adresse",
			Stranger: "Si cette inscription ne vous dit rien, fermez cette page\u00a0: aucun compte ne sera ouvert.",
			Label:    "Votre propre mot de passe (facultatif)",
			Hint:     "Il remplace celui de l’inscription\u00a0: choisissez-en un si quelqu’un d’autre a pu s’inscrire avec votre adresse. De 8 à 128 caractères.",
			Refusal:  "Ce mot de passe ne convient pas. Choisissez-en un de 8 à 128 caractères, ni courant ni identique à votre adresse.",
		}},
	}
	done = map[user.Lang]view{
		user.EN: {user.EN, "Your address is confirmed", "You can sign in now.", "", "Sign in", "/login", nil},
		user.FR: {user.FR, "Votre adresse est confirmée", "Vous pouvez maintenant vous connecter.", "", "Se connecter", "/login", nil},
	}
	noPassword = map[user.Lang]view{
		user.EN: {user.EN, "Your address is confirmed", "There were several sign-ups with different passwords for it, so we kept none of them. We have emailed you a code: use it to set your password, then sign in.", "", "Set password", "/reset", nil},
		user.FR: {user.FR, "Votre adresse est confirmée", "Plusieurs inscriptions avec des mots de passe différents utilisaient cette adresse\u00a0; nous n’en avons donc gardé aucun. Nous vous avons envoyé un code\u00a0: utilisez-le pour choisir votre mot de passe, puis connectez-vous.", "", "Choisir le mot de passe", "/reset", nil},
	}
	before = map[user.Lang]view{
		user.EN: {user.EN, "Your address was already confirmed", "Your password has not changed. Sign in with it, or request a code to set a new one.", "", "Sign in", "/login", nil},
		user.FR: {user.FR, "Votre adresse était déjà confirmée", "Votre mot de passe n’a pas changé. Connectez-vous avec celui-ci, ou demandez un code pour en choisir un autre.", "", "Se connecter", "/login", nil},
	}
	gone = map[user.Lang]view{
		user.EN: {user.EN, "This link does not work", "It may have expired after 24 hours, or been replaced by a newer one. Request a new link and try again.", "", "Request a new link", "/resend", nil},
		user.FR: {user.FR, "Ce lien ne fonctionne pas", "Il a peut-être expiré après 24 heures, ou a été remplacé par un lien plus récent. Demandez-en un nouveau et réessayez.", "", "Demander un nouveau lien", "/resend", nil},
	}
	later = map[user.Lang]view{
		user.EN: {user.EN, "Please try again", "This is not available right now. Your link remains valid; try again in a moment.", "", "", "", nil},
		user.FR: {user.FR, "Veuillez réessayer", "Ce service n’est pas disponible pour le moment. Votre lien reste valable\u00a0; réessayez dans un instant.", "", "", "", nil},
	}
)
