package talkingpages

import (
	"net/url"
	"regexp"
	"strings"
)

// textPart is a part of what somebody wrote: plain text or, with a URL, a link.
type textPart struct{ Text, URL string }

var webAddress = regexp.MustCompile(`https?://[^\s<>"]+`)

// partsOf splits a text at its web addresses, if they may become links.
func partsOf(text string, links bool) (parts []textPart) {
	if !links {
		return []textPart{{Text: text}}
	}
	for text != "" {
		at := webAddress.FindStringIndex(text)
		if at == nil {
			return append(parts, textPart{Text: text})
		}
		address := strings.TrimRight(text[at[0]:at[1]], `.,;:!?'*_)]}»”’`)
		end := at[0] + len(address)
		if !followable(address) {
			parts = append(parts, textPart{Text: text[:end]})
		} else {
			if at[0] > 0 {
				parts = append(parts, textPart{Text: text[:at[0]]})
			}
			parts = append(parts, textPart{address, address})
		}
		text = text[end:]
	}
	return parts
}

// followable reports whether an address leads where it seems to lead: in
// https://bank.example@evil.example/ the host is the second one.
func followable(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Hostname() != "" && u.User == nil
}
