package session

import (
	"slices"
	"strings"
	"time"
)

// Methods are how somebody has proved who they are: names of RFC 8176, separated by spaces. It is empty
// for a session of before methods were stored.
type Methods string

// The methods that Octavo knows itself.
const (
	Password    Methods = "pwd"
	MailedCode  Methods = "otp"          // a code or a link in a mail
	HardwareKey Methods = "hwk user mfa" // a passkey that stays in its device
	SoftwareKey Methods = "swk user mfa" // a passkey that may be copied to other devices
	External    Methods = "fed"          // at another service
	// secondFactor is what an authenticator app or a recovery code adds.
	secondFactor Methods = "otp mfa"
)

// ofServices are the methods that another service is believed to have used.
var ofServices = []string{
	"face", "fpt", "geo", "hwk", "iris", "kba", "mca", "mfa", "otp", "pin", "pop",
	"pwd", "rba", "retina", "sc", "sms", "swk", "tel", "user", "vbm", "wia",
}

// ExternalMethods returns the methods of a sign-in at another service that names its own.
func ExternalMethods(named []string) Methods {
	all := []string{string(External)}
	for _, m := range ofServices {
		if slices.Contains(named, m) {
			all = append(all, m)
		}
	}
	return Methods(strings.Join(all, " "))
}

// List returns the names.
func (m Methods) List() []string { return strings.Fields(string(m)) }

// Has reports whether a name is among them.
func (m Methods) Has(name string) bool { return slices.Contains(m.List(), name) }

// WithSecondFactor returns the methods after the code of an authenticator app or a recovery code.
func (m Methods) WithSecondFactor() Methods {
	all := m.List()
	for _, name := range secondFactor.List() {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return Methods(strings.Join(all, " "))
}

// Level returns what the methods are worth. A passkey that another service speaks of is not one of ours.
func (m Methods) Level() Level {
	switch {
	case (m.Has("hwk") || m.Has("swk")) && !m.Has(string(External)):
		return Passkey
	case m.Has("mfa"):
		return TwoFactors
	}
	return OneFactor
}

// Level is how strong a proof of identity is.
type Level int

// The levels; a higher one is also worth each lower one.
const (
	OneFactor Level = iota + 1
	TwoFactors
	Passkey // resists phishing
)

// levelNames are the values of the claim acr.
var levelNames = map[Level]string{OneFactor: "urn:octavo:1", TwoFactors: "urn:octavo:2", Passkey: "phr"}

// String returns the value of the claim acr.
func (l Level) String() string { return levelNames[l] }

// LevelNames returns the names of all levels, the lowest first.
func LevelNames() []string {
	return []string{OneFactor.String(), TwoFactors.String(), Passkey.String()}
}

// ParseLevel returns the level with a name; 0 for any other text.
func ParseLevel(name string) Level { return Level(slices.Index(LevelNames(), name) + 1) }

// SignIn is what the newest proof of identity of a session really was.
type SignIn struct {
	Methods Methods
	// SignedInAt is when they were shown; zero if nobody knows.
	SignedInAt time.Time
	// Context is the level that the client of this session was told; empty: that of the methods.
	Context string
}

// ACR returns the value of the claim acr for a session with so many factors.
func (s SignIn) ACR(factors int) string {
	if s.Context != "" {
		return s.Context
	}
	return s.level(factors).String()
}

func (s SignIn) level(factors int) Level {
	switch {
	case s.Methods != "":
		return s.Methods.Level()
	case factors >= int(TwoFactors):
		return TwoFactors
	}
	return OneFactor
}

// Level returns how strong the newest proof of identity is.
func (s Session) Level() Level { return s.level(s.Factors) }

// Prove records a proof of identity within the session. A weaker one than the sign-in does not replace
// what is said about that: who asks for a fresh passkey must not get a fresh password.
func (s *Session) Prove(m Methods, at time.Time) {
	s.ProvedAt = at
	if m.Level() < s.Level() {
		return
	}
	s.Methods, s.SignedInAt = m, at
	s.Factors = max(s.Factors, min(int(m.Level()), int(TwoFactors)))
}
