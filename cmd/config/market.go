package config

import (
	"time"
	_ "time/tzdata" // a container may have no time zones

	"github.com/octavo-books/octavo/domain/money"
)

func (s *Settings) checkMarket() error {
	if _, err := money.ParseCurrency(s.Market.Currency); err != nil {
		return Errorf("CURRENCY", "%q is not the code of a currency in capitals, such as USD or GBP", s.Market.Currency)
	}
	if name := s.Market.Timezone; name == "" || name == "Local" {
		return Errorf("CAMPUS_TIMEZONE", "%q is not a time zone such as Europe/London", name)
	}
	if _, err := time.LoadLocation(s.Market.Timezone); err != nil {
		return Errorf("CAMPUS_TIMEZONE", "%q is not a time zone such as Europe/London", s.Market.Timezone)
	}
	return nil
}

// MarketCurrency returns the currency of CURRENCY, which Validate has checked.
func (s *Settings) MarketCurrency() money.Currency {
	c, _ := money.ParseCurrency(s.Market.Currency)
	return c
}

// Zone returns the time zone of CAMPUS_TIMEZONE, which Validate has checked.
func (s *Settings) Zone() *time.Location {
	zone, err := time.LoadLocation(s.Market.Timezone)
	if err != nil {
		return time.UTC
	}
	return zone
}
