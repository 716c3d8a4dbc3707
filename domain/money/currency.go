package money

import (
	"fmt"
	"strings"

	"github.com/octavo-books/octavo/domain/fault"
)

// Currency is a national currency of ISO 4217. The zero value is the US dollar.
type Currency struct {
	code     string // empty: USD
	decimals int    // of the currency, unless code is empty
}

// defaultCode is the currency of a market whose operator has chosen none.
const defaultCode = "USD"

// ErrCurrency refuses what is not the code of a national currency.
var ErrCurrency = fault.New(fault.Invalid, "currency_invalid", "This is not the code of a currency, such as USD or GBP.")

// codes lists the currencies of ISO 4217 that people pay with, by their number of decimals.
// Codes of funds, metals and tests are left out.
var codes = map[int]string{
	0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF",
	2: "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP CVE " +
		"CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW " +
		"KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK " +
		"PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS " +
		"UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG",
	3: "BHD IQD JOD KWD LYD OMR TND",
}

// ParseCurrency returns the currency of a code in capitals, such as "USD", or ErrCurrency.
func ParseCurrency(code string) (Currency, error) {
	for decimals, list := range codes {
		for known := range strings.FieldsSeq(list) {
			if known == code {
				return Currency{code, decimals}, nil
			}
		}
	}
	return Currency{}, ErrCurrency
}

// Code returns the code of ISO 4217, such as "USD".
func (c Currency) Code() string {
	if c.code == "" {
		return defaultCode
	}
	return c.code
}

// String returns the code.
func (c Currency) String() string { return c.Code() }

// Decimals returns how many digits the minor unit has after the decimal point: 0 for the yen,
// 2 for the dollar, 3 for the Kuwaiti dinar.
func (c Currency) Decimals() int {
	if c.code == "" {
		return 2
	}
	return c.decimals
}

// example is an amount of 1,250 minor units, as people write one.
const example = Amount(1250)

var decimalsInWords = map[int]string{0: "without decimals", 2: "with at most two decimals", 3: "with at most three decimals"}

// Hint tells people which amounts Parse accepts: "Must be an amount
// in USD with at most two decimals, such as 12.50."
func (c Currency) Hint() string {
	return fmt.Sprintf("Must be an amount in %s %s, such as %s.", c.Code(), decimalsInWords[c.Decimals()], c.Format(example))
}
