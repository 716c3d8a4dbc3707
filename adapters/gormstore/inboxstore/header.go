package inboxstore

import "encoding/json"

// formatHeader returns the text of a delivery's header, "" for none.
func formatHeader(header map[string]string) string {
	if header == nil {
		return ""
	}
	text, _ := json.Marshal(header) // strings always marshal
	return string(text)
}

// parseHeader parses it. An unreadable text counts as no header of the sender, so that
// the delivery is still sent, with the signature of Standard Webhooks.
func parseHeader(text string) map[string]string {
	if text == "" {
		return nil
	}
	header := map[string]string{}
	_ = json.Unmarshal([]byte(text), &header)
	return header
}
