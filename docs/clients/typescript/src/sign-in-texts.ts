/** What the sign-in shows. {email} and {label} stand for an address and the name of a service. */
export interface SignInTexts {
  signIn: string; signUp: string; forgot: string; reset: string; mailedCode: string; factor: string;
  email: string; password: string; newPassword: string; passwordRule: string; code: string; appCode: string; recoveryCode: string; remember: string;
  continue: string; sendCode: string; resend: string; back: string; passkey: string; service: string; or: string; again: string;
  noAccount: string; toForgot: string; toMailedCode: string; useRecoveryCode: string; useAppCode: string; useService: string;
  codeSent: string; signedIn: string; wait: string; passkeyFailed: string;
  /** By the code of an error, or by the reason in its extensions. Any other error shows the message of the server, which is English. */
  errors: Readonly<Record<string, string>>;
}

export const english: SignInTexts = {
  signIn: "Sign in", signUp: "Create an account", forgot: "Reset the password", reset: "Choose a new password",
  mailedCode: "Sign in with a code", factor: "Confirm that it is you",
  email: "Email address", password: "Password", newPassword: "New password",
  passwordRule: "8 to 128 characters. A phrase of several words works well.",
  code: "Code from the email", appCode: "Code from your authenticator app", recoveryCode: "Recovery code", remember: "Stay signed in on this device",
  continue: "Continue", sendCode: "Email me a code", resend: "Send another code", back: "Back to the sign-in",
  passkey: "Sign in with a passkey", service: "Sign in with {label}", or: "or", again: "Try again",
  noAccount: "Create an account", toForgot: "Forgot your password?", toMailedCode: "Sign in with a code by email",
  useRecoveryCode: "Use a recovery code", useAppCode: "Use the authenticator app", useService: "Sign in with one of these services.",
  codeSent: "If {email} can be used here, we have sent a code to it.", signedIn: "You are signed in as {email}.",
  wait: "Try again {when}.", passkeyFailed: "The passkey could not be used. Please try another way.",
  errors: {},
};

export const french: SignInTexts = {
  signIn: "Se connecter", signUp: "Créer un compte", forgot: "Réinitialiser le mot de passe", reset: "Choisir un nouveau mot de passe",
  mailedCode: "Se connecter avec un code", factor: "Confirmez que c’est bien vous",
  email: "Adresse électronique", password: "Mot de passe", newPassword: "Nouveau mot de passe",
  passwordRule: "8 à 128 caractères. Une phrase de plusieurs mots convient bien.",
  code: "Code reçu par courriel", appCode: "Code de votre application d’authentification", recoveryCode: "Code de secours",
  remember: "Rester connecté·e sur cet appareil",
  continue: "Continuer", sendCode: "M’envoyer un code", resend: "Envoyer un autre code", back: "Revenir à la connexion",
  passkey: "Se connecter avec une clé d’accès", service: "Se connecter avec {label}", or: "ou", again: "Réessayer",
  noAccount: "Créer un compte", toForgot: "Mot de passe oublié ?", toMailedCode: "Se connecter avec un code envoyé par courriel",
  useRecoveryCode: "Utiliser un code de secours", useAppCode: "Utiliser l’application d’authentification",
  useService: "Connectez-vous avec un de ces services.",
  codeSent: "Si {email} peut être utilisée ici, nous y avons envoyé un code.", signedIn: "Vous êtes connecté·e en tant que {email}.",
  wait: "Réessayez {when}.", passkeyFailed: "La clé d’accès n’a pas pu être utilisée. Veuillez choisir un autre moyen.",
  errors: {
    INVALID_CREDENTIALS: "L’adresse ou le mot de passe est incorrect, l’adresse n’est pas encore confirmée, ou le compte n’a pas encore de mot de passe (demandez alors à le réinitialiser).",
    EMAIL_INVALID: "Cette adresse électronique n’est pas valide.",
    PASSWORD_INVALID: "Ce mot de passe n’est pas accepté : il doit avoir de 8 à 128 caractères, ne pas être courant et différer de votre adresse.",
    CODE_INVALID: "Ce code est incorrect, déjà utilisé ou expiré.",
    CHALLENGE_INVALID: "Cela a pris trop de temps ou était déjà terminé. Veuillez recommencer.",
    PASSKEY_INVALID: "Cette clé d’accès n’a pas été acceptée.",
    SUSPENDED: "Ce compte est suspendu.",
    REGISTRATION_DISABLED: "Les inscriptions sont fermées.",
    SSO_REQUIRED: "Ici, on ne se connecte ni par mot de passe, ni par code, ni par clé d’accès. Choisissez un des services.",
    RATE_LIMITED: "Trop de tentatives.",
    APPROVAL: "Trop de mots de passe erronés ont été saisis pour cette adresse. Si le vôtre est le bon, nous y avons envoyé un courriel avec un lien : ouvrez-le, approuvez cette connexion, puis connectez-vous à nouveau.",
    KEY_REPLACED: "Votre second facteur ne peut pas être vérifié, car le serveur utilise une autre clé qu’avant. Prévenez les personnes qui l’exploitent.",
    UNAVAILABLE: "Ce service n’est pas disponible pour le moment.",
    NO_ANSWER: "Le serveur est injoignable. Veuillez réessayer.",
    INTERNAL: "Une erreur est survenue de notre côté. Veuillez réessayer.",
    BAD_REQUEST: "Cette requête n’est pas valide.",
    FORBIDDEN: "Cela n’est pas autorisé.",
  },
};
