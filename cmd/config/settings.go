// Package config holds what an operator can configure: the settings as flags and environment
// variables, their validation, secrets read from files, and the keys and secrets that
// development generates in DATA_DIR.
package config

import "time"

// Settings are the environment variables, each of which is also a flag. Validate and
// DeriveAddresses fill in the defaults of empty ones.
type Settings struct {
	Server     ServerSettings     `embed:"" group:"Server"`
	Storage    StorageSettings    `embed:"" group:"Storage"`
	Identity   IdentitySettings   `embed:"" group:"Identity"`
	Mail       MailSettings       `embed:"" group:"Mail"`
	Limits     LimitSettings      `embed:"" group:"Limits, as COUNT/PERIOD"`
	Market     MarketSettings     `embed:"" group:"Market"`
	Webhooks   WebhookSettings    `embed:"" group:"Webhooks"`
	Monitoring MonitoringSettings `embed:"" group:"Monitoring"`

	// Unreadable are the variables and files whose values could not be read. Validate reports
	// them with everything else that is wrong.
	Unreadable []error `kong:"-"`
}

// ServerSettings are the settings of the HTTP server.
type ServerSettings struct {
	Env               string        `name:"env" aliases:"octavo-env" env:"OCTAVO_ENV" default:"development" help:"development or production. Production refuses generated secrets and insecure settings." complete:"development,production"`
	ServiceName       string        `env:"SERVICE_NAME" placeholder:"NAME" default:"Octavo" help:"What the service is called on its pages and in its mails."`
	AccentColor       string        `env:"ACCENT_COLOR" placeholder:"#RRGGBB" help:"Colour of buttons and links, dark enough for white text on it; the dark theme gets a lighter shade. Default: a dark green."`
	Host              string        `env:"HOST" default:"127.0.0.1" help:"Address to listen on."`
	Port              int           `env:"PORT" default:"3000" help:"Port to listen on; 0 picks a free one."`
	BaseURL           string        `env:"BASE_URL" placeholder:"URL" help:"Address that links in mails begin with. Default: http://HOST:PORT; production needs one with https."`
	HTTPS             string        `name:"https" env:"HTTPS" default:"off" help:"auto: serve DOMAIN over HTTPS, with a certificate that is renewed by itself, at all addresses of this machine, and at HOST:PORT without. off: what is in front does that." complete:"off,auto"`
	Domain            string        `env:"DOMAIN" placeholder:"NAME" help:"Name for which HTTPS=auto gets a certificate, such as books.example.edu. It must lead to this machine. BASE_URL is then https://DOMAIN by default."`
	HTTPSPort         int           `name:"https-port" env:"HTTPS_PORT" default:"443" help:"Port of HTTPS=auto. The certificate authority asks at 443, so another one is for a router that passes 443 on."`
	HTTPPort          int           `name:"http-port" env:"HTTP_PORT" default:"80" help:"Port at which HTTPS=auto sends people on to HTTPS; the authority asks at 80."`
	ACMEDirectory     string        `name:"acme-directory" env:"ACME_DIRECTORY" placeholder:"URL" default:"https://acme-v02.api.letsencrypt.org/directory" help:"Certificate authority of HTTPS=auto. Its terms are agreed to."`
	ACMEMail          string        `name:"acme-mail" env:"ACME_MAIL" placeholder:"ADDRESS" help:"Address at which that authority may write to you."`
	ACMECAFile        string        `name:"acme-ca-file" env:"ACME_CA_FILE" placeholder:"FILE" help:"PEM file of the certificates that vouch for the address ACME_DIRECTORY, if the system does not know them."`
	AllowedOrigins    []string      `env:"ALLOWED_ORIGINS" placeholder:"ORIGIN,..." help:"Exact origins that may call with credentials. Development allows those of this machine, such as http://localhost:5173, too."`
	AllowInsecure     []string      `env:"ALLOW_INSECURE" placeholder:"NAME,..." help:"What production may do in clear text with hosts that are neither this machine nor in a private network: smtp, redis, postgres, queue, purge (CACHE_PURGE_URL), origins (ALLOWED_ORIGINS), invites (INVITE_URL)." complete:"smtp,redis,postgres,queue,purge,origins,invites"`
	CookieSecure      string        `env:"COOKIE_SECURE" placeholder:"true|false" help:"Send cookies over HTTPS only. Default: true outside development." complete:"true,false"`
	CookieDomain      string        `env:"COOKIE_DOMAIN" placeholder:"DOMAIN" help:"Domain of the cookies. Default: the host alone."`
	CookieSameSite    string        `name:"cookie-samesite" env:"COOKIE_SAMESITE" default:"lax" help:"lax, strict or none." complete:"lax,strict,none"`
	HSTSSubdomains    bool          `name:"hsts-subdomains" env:"HSTS_SUBDOMAINS" default:"false" negatable:"" help:"Browsers then demand HTTPS for all subdomains of the host of BASE_URL, too. Only for a domain whose subdomains all have it."`
	TrustedProxies    []string      `env:"TRUSTED_PROXIES" placeholder:"CIDR,..." help:"Networks whose X-Forwarded-For is trusted."`
	CachePurgeURL     string        `name:"cache-purge-url" env:"CACHE_PURGE_URL" placeholder:"URL" help:"Where the cache in front takes purges. It then gets the keys of each change, and public responses carry theirs."`
	CachePurgeToken   string        `name:"cache-purge-token" env:"CACHE_PURGE_TOKEN" placeholder:"TOKEN" help:"Token for purges, which Fastly and Cloudflare need. (or CACHE_PURGE_TOKEN_FILE)"`
	CachePurgeFormat  string        `name:"cache-purge-format" env:"CACHE_PURGE_FORMAT" default:"varnish" help:"What the cache of CACHE_PURGE_URL understands: varnish, fastly or cloudflare." complete:"varnish,fastly,cloudflare"`
	RequestsPerSecond int           `env:"REQUESTS_PER_SECOND" default:"0" help:"Requests per second and client address; 0 means no limit."`
	DrainTimeout      time.Duration `env:"DRAIN_TIMEOUT" default:"10s" help:"How long requests in flight may take after a stop was requested; the program ends within 10s."`
}

// StorageSettings are the settings of databases, Redis and the queue.
type StorageSettings struct {
	DataDir           string `env:"DATA_DIR" default:"data" help:"Folder of the embedded database and of generated keys."`
	DatabaseURL       string `env:"DATABASE_URL" placeholder:"URL" help:"sqlite:PATH or postgres://... Default: SQLite in DATA_DIR. (or DATABASE_URL_FILE)"`
	DatabaseDirectURL string `env:"DATABASE_DIRECT_URL" placeholder:"URL" help:"The database of DATABASE_URL without the pooler in front of it: postgres://... (or DATABASE_DIRECT_URL_FILE)"`
	DatabaseReadURL   string `env:"DATABASE_READ_URL" placeholder:"URL" help:"A standby of the Postgres of DATABASE_URL for lists of books, search and statistics: postgres://... (or DATABASE_READ_URL_FILE)"`
	RedisURL          string `env:"REDIS_URL" placeholder:"URL" help:"Stores sessions and rate limits in Redis. (or REDIS_URL_FILE)"`
	QueueURL          string `env:"QUEUE_URL" placeholder:"URL" help:"Publishes mail messages: redis://... or nats://... (or QUEUE_URL_FILE)"`
	BlobURL           string `name:"blob-url" env:"BLOB_URL" placeholder:"URL" help:"Where photos are kept: file:PATH, for one machine, or s3://BUCKET?endpoint=...&region=... Default: the folder photos in DATA_DIR."`

	ReadMaxLag time.Duration `env:"READ_MAX_LAG" default:"2s" help:"How far the standby of DATABASE_READ_URL may be behind, or it is not used: 100ms to 5m."`

	AWSAccessKeyID     string `name:"aws-access-key-id" env:"AWS_ACCESS_KEY_ID" placeholder:"ID" help:"Credentials for the buckets of BLOB_URL and of backups. (or AWS_ACCESS_KEY_ID_FILE)"`
	AWSSecretAccessKey string `name:"aws-secret-access-key" env:"AWS_SECRET_ACCESS_KEY" placeholder:"KEY" help:"The secret of AWS_ACCESS_KEY_ID. (or AWS_SECRET_ACCESS_KEY_FILE)"`
}

// IdentitySettings are the settings of accounts, tokens and sessions.
type IdentitySettings struct {
	PublicKey           string        `env:"PUBLIC_KEY" placeholder:"PEM" help:"ES512 public key, SPKI. Development generates a pair. (or PUBLIC_KEY_FILE)"`
	PrivateKey          string        `env:"PRIVATE_KEY" placeholder:"PEM" help:"ES512 private key, PKCS#8. (or PRIVATE_KEY_FILE)"`
	PreviousPublicKeys  string        `env:"PREVIOUS_PUBLIC_KEYS" placeholder:"PEM..." help:"Public keys whose tokens are still accepted."`
	PreviousPrivateKeys string        `env:"PREVIOUS_PRIVATE_KEYS" placeholder:"PEM..." help:"Private keys that still decrypt the secrets of authenticator apps, and sign pushed notifications. (or PREVIOUS_PRIVATE_KEYS_FILE)"`
	OIDCSigningKey      string        `name:"oidc-signing-key" env:"OIDC_SIGNING_KEY" placeholder:"PEM" help:"RSA private key, PKCS#8, that signs the ID tokens of OpenID clients. Development generates one. (or OIDC_SIGNING_KEY_FILE)"`
	PreviousOIDCKeys    string        `name:"previous-oidc-keys" env:"PREVIOUS_OIDC_KEYS" placeholder:"PEM..." help:"RSA public keys that have signed ID tokens before: published, and accepted where applications hint at their user. (or PREVIOUS_OIDC_KEYS_FILE)"`
	NextOIDCKey         string        `name:"next-oidc-key" env:"NEXT_OIDC_KEY" placeholder:"PEM" help:"RSA private key that will sign ID tokens next; its public part is published, so that applications know it before. (or NEXT_OIDC_KEY_FILE)"`
	JWTIssuer           string        `name:"jwt-issuer" env:"JWT_ISSUER" placeholder:"URL" help:"Issuer of the access tokens. Default: BASE_URL."`
	JWTAudience         string        `name:"jwt-audience" env:"JWT_AUDIENCE" default:"octavo" help:"Audience of the access tokens."`
	AccessTokenTTL      time.Duration `name:"access-token-ttl" env:"ACCESS_TOKEN_TTL" default:"20m" help:"How long an access token is valid: 1m to 24h."`
	BcryptCost          int           `env:"BCRYPT_COST" default:"12" help:"Cost of hashing a password, 10 to 15."`
	MaxSessions         int           `name:"max-sessions-per-user" env:"MAX_SESSIONS_PER_USER" default:"10" help:"When one more begins, the least recently used session ends."`
	Require2FA          string        `name:"require-2fa" env:"REQUIRE_2FA" default:"none" help:"Whose role needs a second factor: none or admins (admins and owners)." complete:"none,admins"`
	AdminScope          string        `env:"ADMIN_SCOPE" default:"all" help:"What admins look after: all universities, or the campus of their profile. Owners look after all." complete:"all,campus"`
	AuditKeep           time.Duration `env:"AUDIT_KEEP" default:"0s" help:"How long entries of the audit log are stored at least: 720h or more, or 0s for ever. On Postgres they are deleted by quarters of a year."`
	SignIn              string        `env:"SIGN_IN" default:"all" help:"How people sign in: all, or sso: only at external services, and owners whom octavo users break-glass lets." complete:"all,sso"`
	AllowRegistration   string        `env:"ALLOW_REGISTRATION" default:"true" help:"Whether people may sign up: true, false, or sso: only newcomers from external services." complete:"true,false,sso"`
	OIDCProviders       string        `name:"oidc-providers" env:"OIDC_PROVIDERS" placeholder:"FILE" help:"YAML file of services at which people may also sign in: OpenID Connect, Google, Microsoft, GitHub."`
	SAMLProviders       string        `name:"saml-providers" env:"SAML_PROVIDERS" placeholder:"FILE" help:"YAML file of services at which people may also sign in with SAML 2.0: Shibboleth, federations, ADFS."`
	SAMLKey             string        `name:"saml-key" env:"SAML_KEY" placeholder:"PEM" help:"RSA private key, PKCS#8, that signs SAML requests and decrypts assertions. Development generates one. (or SAML_KEY_FILE)"`
	SCIMToken           string        `name:"scim-token" env:"SCIM_TOKEN" placeholder:"TOKEN" help:"Bearer token with which the directory of an institution looks after accounts at /scim/v2, in production of 16 characters or more. (or SCIM_TOKEN_FILE)"`
	SAMLOtherKeys       string        `name:"saml-other-keys" env:"SAML_OTHER_KEYS" placeholder:"PEM..." help:"Private keys that SAML providers may know, too: the next one before it is SAML_KEY, and the previous one afterwards. (or SAML_OTHER_KEYS_FILE)"`
	InviteURL           string        `env:"INVITE_URL" placeholder:"URL" help:"Page that an invitation links to. Default: BASE_URL/invitation."`
}

// LimitSettings are the rate limits. A client is an IPv4 address or an IPv6 /64,
// which a whole lecture hall may share.
type LimitSettings struct {
	SignInFailures  string   `name:"limit-sign-in-failures" env:"LIMIT_SIGN_IN_FAILURES" default:"10/15m" help:"Wrong passwords for one account from one client; after that the client waits, longer each time."`
	AccountFailures string   `name:"limit-account-failures" env:"LIMIT_ACCOUNT_FAILURES" default:"100/24h" help:"Wrong passwords for one account from all clients; after that, clients that the account has not signed in from are approved by a mailed link."`
	SignIns         string   `name:"limit-sign-ins" env:"LIMIT_SIGN_INS" default:"600/1m" help:"Sign-ins from one client."`
	SignUps         string   `name:"limit-sign-ups" env:"LIMIT_SIGN_UPS" default:"1000/1h" help:"Sign-ups from one client."`
	MailRequests    string   `name:"limit-mail-requests" env:"LIMIT_MAIL_REQUESTS" default:"300/1h" help:"Resends and password resets requested by one client."`
	Codes           string   `name:"limit-codes" env:"LIMIT_CODES" default:"300/1m" help:"Codes tried by one client."`
	TotpFailures    string   `name:"limit-totp-failures" env:"LIMIT_TOTP_FAILURES" default:"25/1h" help:"Wrong codes of an authenticator app for one account, from all clients together that the account has not signed in from."`
	Mails           []string `name:"limit-mails" env:"LIMIT_MAILS" default:"1/1m,5/5h" help:"Resent codes, and resets, to one address; all of these limits apply. 5/5h allows five at once and then one an hour. Resets requested by a client that the account has signed in from count for that client alone."`
	SignUpMails     string   `name:"limit-sign-up-mails" env:"LIMIT_SIGN_UP_MAILS" default:"10/1h" help:"Mails to one address because of sign-ups."`
	HashingQueue    int      `name:"limit-hashing-queue" env:"LIMIT_HASHING_QUEUE" default:"64" help:"Passwords that may wait to be hashed; more are refused with 503."`
	Posts           int      `name:"limit-posts" env:"LIMIT_POSTS" default:"60" help:"Books that one person may post or relist in 24 hours, without those of files and not for a campus store: 1 to 1000000, or 0 for no limit."`
	ImportLines     int      `name:"limit-import-lines" env:"LIMIT_IMPORT_LINES" default:"500" help:"Lines of files that one person may import in 24 hours: 1 to 1000000, or 0 for as many as a campus store, which is 10000."`
	OpenPurchases   int      `name:"limit-open-purchases" env:"LIMIT_OPEN_PURCHASES" default:"10" help:"Books that a buyer may have bought and not received yet; one more for each purchase that was delivered, up to 50."`
	Streams         int      `name:"limit-streams" env:"LIMIT_STREAMS" default:"8" help:"Notification streams that one person may keep open in one process."`
}

// MailSettings are the settings of sending mail.
type MailSettings struct {
	SMTPURL       string `name:"smtp-url" env:"SMTP_URL" placeholder:"URL" help:"smtp://user:pass@host:port or smtps://... Without it development shows mails at /dev/mail. (or SMTP_URL_FILE)"`
	MailFrom      string `env:"MAIL_FROM" placeholder:"ADDRESS" help:"Sender of the mails, for example: Octavo <books@example.edu>."`
	SupportMail   string `env:"SUPPORT_MAIL" placeholder:"ADDRESS" help:"Address for questions, at the end of mails and pages."`
	MailTemplates string `env:"MAIL_TEMPLATES" placeholder:"DIR" help:"Folder of mail templates that replace built-in ones; 'octavo mail templates DIR' writes those."`
}

// MarketSettings are the settings of the marketplace.
type MarketSettings struct {
	FeeBPS          int    `name:"market-fee-bps" env:"MARKET_FEE_BPS" default:"500" help:"Fee on top of the price in basis points, paid by the buyer: 0 to 10000."`
	CampusDomains   string `env:"CAMPUS_DOMAINS" placeholder:"DOMAIN,..." default:"edu" help:"Whose addresses may join the market: domains, each with all below it; or @FILE with lines of a domain, a comma and the name of its university, which sign-ups then get."`
	Currency        string `env:"CURRENCY" placeholder:"CODE" default:"USD" help:"Currency of all prices, as ISO 4217. It cannot be changed once the database holds prices."`
	Handover        string `env:"HANDOVER" default:"desk" help:"How books change hands: desk (at the desk of the campus), meet (buyer and seller meet, and the seller types a code that the buyer shows) or both." complete:"desk,meet,both"`
	Settlement      string `env:"SETTLEMENT" default:"operator" help:"Who settles a sale in which buyer and seller meet: operator (admins charge the buyer and pay the seller) or direct (the buyer pays the seller when they meet; needs MARKET_FEE_BPS=0 and HANDOVER=meet or both)." complete:"operator,direct"`
	OrderLapses     string `env:"ORDER_LAPSES" placeholder:"DURATION" default:"14d" help:"How long an order may wait to be handed over before it is cancelled, such as 14d or 36h: from 1h in production, or 0 for ever. Both sides are reminded at half of it."`
	ReportThreshold int    `env:"REPORT_THRESHOLD" default:"3" help:"Reports about a book that unlist it until an admin decides, by people who have completed sales with at least two others, a week ago or more and at REPORT_MIN_PRICE or above: 1 to 100, or 0 for never."`
	ReportMinPrice  string `name:"report-min-price" env:"REPORT_MIN_PRICE" placeholder:"AMOUNT" default:"5.00" help:"For REPORT_THRESHOLD, sales count from this price on, in CURRENCY."`
	TermsURL        string `env:"TERMS_URL" placeholder:"URL" help:"Page with the terms of use, in place of /terms."`
	PrivacyURL      string `env:"PRIVACY_URL" placeholder:"URL" help:"Page about privacy, in place of /privacy."`
	PagesDir        string `env:"PAGES_DIR" placeholder:"DIR" help:"Folder of texts in Markdown that replace the built-in ones: help.md, terms.md, privacy.md, accessibility.md, and help.fr.md and so on in French."`
	Timezone        string `name:"campus-timezone" env:"CAMPUS_TIMEZONE" placeholder:"ZONE" default:"UTC" help:"Time zone of dates on pages, in mails and in statistics, such as Europe/London."`
	ISBNTable       string `name:"isbn-table" env:"ISBN_TABLE" placeholder:"FILE" help:"CSV file of ISBNs with the columns isbn, name, authors, edition, year and course, from which the form for selling is filled if nobody has posted the book yet. At most 256 MiB and a million lines. Or a dump of Open Library's editions, as it is downloaded."`
}

// MonitoringSettings are the settings of logs, metrics and profiles. Traces have the standard
// variables of OpenTelemetry.
type MonitoringSettings struct {
	LogLevel     string `env:"LOG_LEVEL" default:"info" help:"debug, info, warn or error." complete:"debug,info,warn,error"`
	LogFormat    string `env:"LOG_FORMAT" placeholder:"text|json" help:"Default: text on a terminal, else json." complete:"text,json"`
	LogAddresses string `env:"LOG_ADDRESSES" default:"full" help:"How the log has addresses of clients: full, short (without their last part, as 192.0.2.0) or none." complete:"full,short,none"`
	MetricsToken string `env:"METRICS_TOKEN" placeholder:"TOKEN" help:"Bearer token for /metrics, in production of 16 characters or more; without it only loopback may read them. (or METRICS_TOKEN_FILE)"`
	PprofAddr    string `name:"pprof" env:"PPROF_ADDR" placeholder:"HOST:PORT" help:"Loopback address to serve profiles at, e.g. 127.0.0.1:6060."`
}

// WebhookSettings are the settings of the webhook receiver.
type WebhookSettings struct {
	Secret            string        `name:"webhook-secret" env:"WEBHOOK_SECRET" placeholder:"SECRET" help:"Secret that deliveries are signed with. Development generates one. (or WEBHOOK_SECRET_FILE)"`
	AdditionalSecrets string        `name:"webhook-additional-secrets" env:"WEBHOOK_ADDITIONAL_SECRETS" placeholder:"NAME=VALUE[@EXPIRY],..." help:"More secrets that are accepted, for rotation. (or WEBHOOK_ADDITIONAL_SECRETS_FILE; SIGHUP reads both files again)"`
	Path              string        `name:"webhook-path" env:"WEBHOOK_PATH" default:"/api/host/webhooks" help:"Path at which deliveries are received."`
	Sender            string        `name:"webhook-sender" env:"WEBHOOK_SENDER" default:"host" help:"Who delivers there: host, github, stripe, standard (Standard Webhooks) or another sender that octavo webhooks senders prints." complete:"host,github,gitea,forgejo,gogs,gitlab,bitbucket,stripe,slack,shopify,standard,svix,zoom,paddle,calendly,square,hubspot,twilio,sendgrid,discord,mailgun,paypal,sns,graph,meta,vercel,intercom,trello,paystack,pagerduty,linear,woocommerce,razorpay,sentry,typeform,octavo"`
	Sources           string        `name:"webhook-sources" env:"WEBHOOK_SOURCES" placeholder:"FILE" help:"YAML file of more sources, each with its path, sender and secrets, read again on SIGHUP."`
	Events            string        `name:"webhook-events" env:"WEBHOOK_EVENTS" default:"auto" help:"Write Octavo's own events, of the source octavo. auto: where this process also serves webhooks; on: also where another process on the same Postgres does, in all of them; off: never." complete:"auto,on,off"`
	Forward           []string      `name:"forward" env:"WEBHOOK_FORWARD" sep:"none" placeholder:"MATCH=URL ..." help:"Forward deliveries of an event, an event.action or *. Repeatable, and each holds any number with spaces, line breaks or commas between."`
	Rules             string        `name:"webhook-rules" env:"WEBHOOK_RULES" placeholder:"FILE" help:"YAML file of forwarding rules, read again on SIGHUP."`
	APIToken          string        `name:"webhook-api-token" env:"WEBHOOK_API_TOKEN" placeholder:"TOKEN" help:"Token for the JSON API of the deliveries and, if webhooks are served alone, for the pages under /webhooks. (or WEBHOOK_API_TOKEN_FILE)"`
	AlertURL          string        `name:"alert-url" env:"ALERT_URL" placeholder:"URL" help:"Is sent a signed JSON alert when the target of a rule fails for ten minutes or a delivery is given up, and when it works again. (or ALERT_URL_FILE)"`
	AlertPrivate      bool          `name:"alert-private" env:"ALERT_PRIVATE" default:"false" help:"ALERT_URL may be a private address."`
	AlertMail         string        `name:"alert-mail" env:"ALERT_MAIL" placeholder:"ADDRESS" help:"Is sent the same alerts by mail, over SMTP_URL."`
	KeepBodies        time.Duration `name:"webhook-keep-bodies" env:"WEBHOOK_KEEP_BODIES" default:"168h" help:"How long payloads are stored."`
	KeepIDs           time.Duration `name:"webhook-keep-ids" env:"WEBHOOK_KEEP_IDS" default:"720h" help:"How long a delivery's ID is stored, so that a repeat is recognised."`
	KeepMost          int           `name:"webhook-keep-most" env:"WEBHOOK_KEEP_MOST" default:"1000000" help:"How many finished deliveries are stored at most."`
	ReplayWindow      time.Duration `name:"webhook-replay-window" env:"WEBHOOK_REPLAY_WINDOW" default:"0s" help:"How long the same event and body under another ID count as a duplicate; 0s means never."`
	MaxPending        int           `name:"webhook-max-pending" env:"WEBHOOK_MAX_PENDING" default:"1000000" help:"Deliveries that may wait to be forwarded; more are refused with 503."`
}

// DevMailbox reports whether mails are stored in the development mailbox.
func (s *Settings) DevMailbox() bool { return !s.Production() }

// Prepare validates the settings and creates DATA_DIR, for commands that create the
// databases. Commands that do not call RequireDatabase.
func (s *Settings) Prepare() error {
	if err := s.Validate(); err != nil {
		return err
	}
	return s.MakeDataDir()
}
