package config

import (
	"crypto/ecdsa"
	"strings"
	"time"
	_ "time/tzdata" // a container may have no time zones

	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/adapters/webpush"
	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/text"
)

func (s *Settings) checkMarket() error {
	_, campuses := s.Campus()
	_, texts := s.Texts(true)
	errs := []error{campuses, texts}
	if _, ok := meeting.ParseMode(s.Market.Handover); !ok {
		errs = append(errs, Errorf("HANDOVER", "%q is not desk, meet or both", s.Market.Handover))
	}
	errs = append(errs, s.checkSettlement())
	if _, err := money.ParseCurrency(s.Market.Currency); err != nil {
		errs = append(errs, Errorf("CURRENCY", "%q is not the code of a currency in capitals, such as USD or GBP", s.Market.Currency))
	}
	if _, ok := s.reportMinPrice(); !ok {
		errs = append(errs, Errorf("REPORT_MIN_PRICE", "%q is not a price such as 5.00 in %s", s.Market.ReportMinPrice, s.Market.Currency))
	}
	name := s.Market.Timezone
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		errs = append(errs, Errorf("CAMPUS_TIMEZONE", "%q is not a time zone such as Europe/London", name))
	}
	return Together(errs...)
}

func (s *Settings) checkSettlement() error {
	settlement, ok := order.ParseSettlement(s.Market.Settlement)
	errs := []error{s.checkLapses()}
	switch {
	case !ok:
		errs = append(errs, Errorf("SETTLEMENT", "%q is not operator or direct", s.Market.Settlement))
	case settlement == order.Direct && s.Market.FeeBPS != 0:
		errs = append(errs, Errorf("SETTLEMENT", "direct needs MARKET_FEE_BPS=0: buyers pay the sellers, so nobody collects a fee"))
	}
	if settlement == order.Direct && s.Market.Handover == meeting.Desk.String() {
		errs = append(errs, Errorf("SETTLEMENT", "direct needs HANDOVER=meet or both: buyers pay the sellers when they meet"))
	}
	return Together(errs...)
}

func (s *Settings) checkLapses() error {
	d, err := text.ParseDuration(s.Market.OrderLapses)
	least := time.Second
	if s.Production() {
		least = time.Hour
	}
	if err != nil || d != 0 && d < least || d > maxLapse {
		return Errorf("ORDER_LAPSES", "%q is not a duration from %s to 3650d, such as 14d or 36h, or 0", s.Market.OrderLapses, least)
	}
	return nil
}

// maxLapse is ten years.
const maxLapse = 3650 * 24 * time.Hour

// SettlementOfSales returns SETTLEMENT, which Validate has checked.
func (s *Settings) SettlementOfSales() order.Settlement {
	settlement, _ := order.ParseSettlement(s.Market.Settlement)
	return settlement
}

// OrderLapse returns ORDER_LAPSES, which Validate has checked.
func (s *Settings) OrderLapse() time.Duration {
	d, _ := text.ParseDuration(s.Market.OrderLapses)
	return d
}

const maxCampusFile = 2 << 20 // bytes

// Campus returns the domains of CAMPUS_DOMAINS. The error names the setting, and the line of a
// file.
func (s *Settings) Campus() (campus.Domains, error) {
	path, isFile := strings.CutPrefix(s.Market.CampusDomains, "@")
	if !isFile {
		d, err := campus.Parse(s.Market.CampusDomains)
		if err != nil {
			return d, Errorf("CAMPUS_DOMAINS", "%v", err)
		}
		return d, nil
	}
	text, err := readUpTo(path, maxCampusFile)
	if err != nil {
		return campus.Domains{}, Errorf("CAMPUS_DOMAINS", "%v", err)
	}
	d, err := campus.ParseFile(text)
	if err != nil {
		return d, Errorf("CAMPUS_DOMAINS", "%s: %v", path, err)
	}
	return d, nil
}

// HandoverMode returns the mode of HANDOVER, which Validate has checked.
func (s *Settings) HandoverMode() meeting.Mode {
	m, _ := meeting.ParseMode(s.Market.Handover)
	return m
}

// MarketCurrency returns the currency of CURRENCY, which Validate has checked.
func (s *Settings) MarketCurrency() money.Currency {
	c, _ := money.ParseCurrency(s.Market.Currency)
	return c
}

// ReportMinPrice returns the amount of REPORT_MIN_PRICE, which Validate has checked.
func (s *Settings) ReportMinPrice() money.Amount {
	a, _ := s.reportMinPrice()
	return a
}

// reportMinPrice reads an amount in any form, so also the default where the currency has no decimals.
func (s *Settings) reportMinPrice() (a money.Amount, ok bool) {
	if s.Market.ReportMinPrice == "" {
		return 0, true
	}
	return pasted.Amount(s.Market.ReportMinPrice, s.MarketCurrency())
}

// Zone returns the time zone of CAMPUS_TIMEZONE, which Validate has checked.
func (s *Settings) Zone() *time.Location {
	zone, err := time.LoadLocation(s.Market.Timezone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// NewPushSender returns the sender of web push. It derives the keys from the private keys, so that every replica has the
// same: browsers that subscribed before a key was replaced are reached with PREVIOUS_PRIVATE_KEYS.
func (s *Settings) NewPushSender(key *ecdsa.PrivateKey) (*webpush.Sender, error) {
	previous, err := s.PreviousSecretKeys()
	if err != nil {
		return nil, err
	}
	c := webpush.Config{Agent: "Octavo/" + Version(), Subject: s.pushSubject(), Development: !s.Production()}
	for _, key := range append([]*ecdsa.PrivateKey{key}, previous...) {
		secret, err := seal.DeriveKey(key, "web push")
		if err != nil {
			return nil, err
		}
		c.Secrets = append(c.Secrets, secret)
	}
	return webpush.New(c), nil
}

// pushSubject returns whom push services may ask about this installation: its address, or in development a mailbox.
func (s *Settings) pushSubject() string {
	switch {
	case strings.HasPrefix(s.Server.BaseURL, "https://"):
		return s.Server.BaseURL
	case s.Mail.SupportMail != "":
		return "mailto:" + s.Mail.SupportMail
	}
	return "mailto:octavo@localhost"
}
