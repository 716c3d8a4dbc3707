//go:build ignore

// Totp is an authenticator app of others: it prints the code for an otpauth URI at a time
// that is a number of seconds from now. The test of the second factor builds it with
// test/tools/sdks.mod.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
)

func main() {
	key, err := otp.NewKeyFromURL(os.Args[1])
	fail(err)
	seconds, err := strconv.Atoi(os.Args[2])
	fail(err)
	code, err := totp.GenerateCodeCustom(key.Secret(), time.Now().Add(time.Duration(seconds)*time.Second), totp.ValidateOpts{
		Period: uint(key.Period()), Digits: key.Digits(), Algorithm: key.Algorithm(),
	})
	fail(err)
	fmt.Println(code, key.Issuer(), key.AccountName())
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
