package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/markdown"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/retention"
	"github.com/octavo-books/octavo/domain/user"
)

const maxText = 256 << 10 // bytes

// Texts returns the pages /help, /terms and /privacy: the built-in texts, replaced by the files
// in the folder of PAGES_DIR and the pages of TERMS_URL and PRIVACY_URL. The error names the
// setting and the file. Without the marketplace there is no /help.
func (s *Settings) Texts(market bool) (map[string]web.Text, error) {
	if err := s.checkTextURLs(); err != nil {
		return nil, err
	}
	texts := map[string]web.Text{}
	elsewhere := map[string]string{"terms": s.Market.TermsURL, "privacy": s.Market.PrivacyURL}
	names := web.TextNames
	if !market {
		names = web.AccountTextNames
	}
	for _, name := range names {
		t := web.Text{URL: elsewhere[name], InLang: map[user.Lang]web.EmbeddedPage{}}
		for _, lang := range []user.Lang{user.EN, user.FR} {
			page, err := s.text(name, lang, market)
			if err != nil {
				return nil, Errorf("PAGES_DIR", "%v", err)
			}
			t.InLang[lang] = page
		}
		texts[name] = t
	}
	return texts, nil
}

func (s *Settings) checkTextURLs() error {
	var errs []error
	for _, v := range []struct{ name, value string }{{"TERMS_URL", s.Market.TermsURL}, {"PRIVACY_URL", s.Market.PrivacyURL}} {
		if v.value != "" {
			errs = append(errs, webAddress(v.name, v.value))
		}
	}
	if dir := s.Market.PagesDir; dir != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			errs = append(errs, Errorf("PAGES_DIR", "%s is not a folder", dir))
		}
	}
	return Together(errs...)
}

// text returns a text in a language. A file without a language replaces the text in every
// language that has no file of its own.
func (s *Settings) text(name string, lang user.Lang, market bool) (web.EmbeddedPage, error) {
	source, err := s.replacedText(name+"."+string(lang)+".md", name+".md")
	if err == nil && source == nil {
		source, err = web.BuiltInText(name, lang, web.TextOptions{
			Service: s.Server.ServiceName, Support: s.Mail.SupportMail, Market: market, Handover: s.HandoverMode(),
			Direct: s.SettlementOfSales() == order.Direct, Kept: kept(market),
		})
	}
	if err != nil {
		return web.EmbeddedPage{}, err
	}
	title, main, err := markdown.HTML(source)
	if title == "" {
		title = s.Server.ServiceName
	}
	return web.EmbeddedPage{Lang: lang, Title: title, Main: main}, err
}

// kept is what the rooms that are served keep about people.
func kept(market bool) []retention.Record {
	if !market {
		return authrooms.Kept()
	}
	return slices.Concat(authrooms.Kept(), rooms.Kept())
}

// replacedText returns the content of the first file that exists, or nil.
func (s *Settings) replacedText(files ...string) ([]byte, error) {
	if s.Market.PagesDir == "" {
		return nil, nil
	}
	for _, file := range files {
		path := filepath.Join(s.Market.PagesDir, file)
		text, err := readUpTo(path, maxText)
		switch source := []byte(text); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case len(bytes.TrimSpace(source)) == 0 || !utf8.Valid(source):
			return nil, errors.New(path + " is not a text in UTF-8")
		default:
			return bytes.TrimPrefix(source, []byte("\ufeff")), nil
		}
	}
	return nil, nil
}
