package web

// accountsInFrench has the texts of the pages about accounts.
var accountsInFrench = map[string]string{
	"Home": "Accueil", "Sign in to see and change your account.": "Connectez-vous pour voir et modifier votre compte.", "You are signed in.": "Vous êtes connecté·e.",

	// the account
	"Name and language": "Nom et langue", "Name": "Nom", "Language of our emails": "Langue de nos courriels", "English": "English", "Français": "Français",
	"More": "Autres réglages", "Passkeys and second factor": "Clés d’accès et second facteur",
	"Delete my account": "Supprimer mon compte", "Delete your account": "Supprimer votre compte",
	"You are signed out everywhere at once. After 14 days your data is erased. Until then you can change your mind: just sign in.": "Vous êtes aussitôt déconnecté·e partout. Vos données sont effacées au bout de 14 jours. D’ici là, vous pouvez changer d’avis\u00a0: connectez-vous.",
	"Your account will be deleted in 14 days. We have sent you an email with a link to keep it.":                                   "Votre compte sera supprimé dans 14 jours. Nous vous avons envoyé un courriel avec un lien pour le garder.",

	"Change your email address": "Changer d’adresse électronique", "New email address": "Nouvelle adresse électronique", "Confirm your new address": "Confirmez votre nouvelle adresse", "Your email address was changed.": "Votre adresse électronique a été changée.",
	"We send a code to the new address, and a notice to the old one with which you can undo the change for seven days.": "Nous envoyons un code à la nouvelle adresse, et à l’ancienne un avis qui permet d’annuler le changement pendant sept jours.",
	"We have sent a code to the new address. It is valid for ten minutes.":                                              "Nous avons envoyé un code à la nouvelle adresse. Il est valable dix minutes.",
	"Sign-ins elsewhere": "Connexions par d’autres services", "linked": "lié le", "Unlink": "Dissocier", "Link %s": "Lier %s", "This service can no longer sign you in.": "Ce service ne peut plus vous connecter.",

	"Download your data": "Télécharger vos données", "Download": "Télécharger",
	"You get a file with all that we keep about you, in JSON, without passwords and keys.": "Vous recevez un fichier avec tout ce que nous gardons sur vous, en JSON, sans mots de passe ni clés.",

	// proof of identity
	"Confirm that it is you": "Confirmez que c’est bien vous", "Continue": "Continuer", "Email me a code": "M’envoyer un code",
	"You are about to change how you sign in. We will not ask again for ten minutes.":       "Vous allez modifier votre façon de vous connecter. Nous ne vous redemanderons rien pendant dix minutes.",
	"You are about to change how you sign in. Have us send you a code, then enter it here.": "Vous allez modifier votre façon de vous connecter. Faites-vous envoyer un code, puis saisissez-le ici.",
	"Code of your authenticator app, or a recovery code":                                    "Code de votre application d’authentification, ou un code de secours",
	"We have sent you a code.": "Nous vous avons envoyé un code.",

	// passkeys and the second factor
	"Signing in": "Connexion", "Back to your account": "Retour à votre compte", "Passkeys": "Clés d’accès", "Add a passkey": "Ajouter une clé d’accès", "Name of the passkey": "Nom de la clé d’accès",
	"A passkey signs you in with your fingerprint, face or screen lock. It counts as both factors.": "Une clé d’accès vous connecte avec votre empreinte, votre visage ou le verrouillage de votre écran. Elle vaut les deux facteurs.",
	"For instance the device on which it is stored.":                                                "Par exemple, l’appareil sur lequel elle est enregistrée.",
	"Your browser needs JavaScript for passkeys. Everything else works without it.":                 "Votre navigateur a besoin de JavaScript pour les clés d’accès. Tout le reste fonctionne sans.",
	"The passkey was added.": "La clé d’accès a été ajoutée.", "The passkey was removed.": "La clé d’accès a été retirée.", "added": "ajoutée",
	"Authenticator app": "Application d’authentification", "Connect an app": "Connecter une application", "Connect an authenticator app": "Connecter une application d’authentification",
	"After your password we ask for a code of your authenticator app.":                                                           "Après votre mot de passe, nous demandons un code de votre application d’authentification.",
	"Have us ask for a code of an app on your phone after your password. Somebody who learns your password cannot sign in then.": "Faites-nous demander, après votre mot de passe, le code d’une application de votre téléphone. Qui apprend votre mot de passe ne peut alors pas se connecter.",
	"Scan this picture with your app:": "Scannez cette image avec votre application\u00a0:", "If you cannot scan it, enter this key:": "Si vous ne pouvez pas la scanner, saisissez cette clé\u00a0:",
	"Open in an app on this device": "Ouvrir dans une application de cet appareil", "Then enter the code that the app shows.": "Saisissez ensuite le code affiché par l’application.",
	"Show a new picture": "Afficher une nouvelle image", "Turn on": "Activer", "Turn off": "Désactiver", "Turn it off": "La désactiver",
	"The authenticator app is turned off.": "L’application d’authentification est désactivée.",
	"New recovery codes":                   "Nouveaux codes de secours", "Your recovery codes": "Vos codes de secours", "I have stored them": "Je les ai conservés",
	"Each code replaces your app once. Print them or store them in a safe place: they are not shown again.": "Chaque code remplace votre application une fois. Imprimez-les ou conservez-les en lieu sûr\u00a0: ils ne seront plus affichés.",

	// ways to sign in
	"Sign in with a passkey": "Se connecter avec une clé d’accès", "Sign in with a code by email": "Se connecter avec un code envoyé par courriel", "Sign in with a code": "Se connecter avec un code",
	"Sign in with the password": "Se connecter avec le mot de passe", "Enter your code": "Saisissez votre code",
	"We will email you a code that signs you in without your password.": "Nous vous enverrons un code qui vous connecte sans mot de passe.",

	// people, for admins
	"All people": "Tous les comptes", "Student": "Étudiant·e", "Role": "Rôle", "Address": "Adresse", "confirmed": "confirmée", "not confirmed": "non confirmée", "on": "activée", "off": "désactivée",
	"Devices": "Appareils", "Not signed in anywhere.": "Connecté·e nulle part.", "Sign out everywhere": "Déconnecter partout", "All sessions of this account have ended.": "Toutes les sessions de ce compte ont pris fin.",
	"Change role": "Changer le rôle", "suspended": "suspendu", "will be deleted": "sera supprimé", "Suspension": "Suspension", "Suspend": "Suspendre", "Lift the suspension": "Lever la suspension", "Reason": "Motif",
	"We email it to the person. All sessions end, and nobody can sign in to the account.": "Nous l’envoyons à la personne. Toutes les sessions prennent fin, et personne ne peut plus se connecter à ce compte.",
	"The account is suspended, and its owner was told why.":                               "Le compte est suspendu et la personne a été informée du motif.", "The suspension is lifted.": "La suspension est levée.",
	"Invitations": "Invitations", "Invite": "Inviter", "Open invitations": "Invitations en attente", "valid until": "valable jusqu’au", "None.": "Aucune.",
	"We email a link that opens an account and is valid for seven days. Inviting somebody again replaces the older link.": "Nous envoyons un lien qui ouvre un compte et qui est valable sept jours. Une nouvelle invitation remplace le lien précédent.",
	"The invitation is on its way.": "L’invitation est partie.", "The invitation was revoked.": "L’invitation a été révoquée.", "Revoke": "Révoquer",
}
