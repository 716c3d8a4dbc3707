package archive

import (
	"fmt"
	"maps"
	"strings"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// The rules of columns. asIs is for ids, times, amounts, states and texts from a list of the program.
var (
	asIs   rule
	empty  rule = func(*Anonymiser, map[string]any) any { return "" }
	person rule = func(*Anonymiser, map[string]any) any { return "Person" }
	number rule = func(a *Anonymiser, _ map[string]any) any { return fmt.Sprint(a.people) }
)

// constant replaces a text, unless it is empty.
func constant(column, with string) rule {
	return func(_ *Anonymiser, row map[string]any) any {
		if textOf(row, column) == "" {
			return ""
		}
		return with
	}
}

func courseOf(column string) rule {
	return func(a *Anonymiser, row map[string]any) any { return a.course(textOf(row, column)) }
}

func courseKeyOf(column string) rule {
	return func(a *Anonymiser, row map[string]any) any { return text.Key(a.course(textOf(row, column))) }
}

func campusOf(column string) rule {
	return func(a *Anonymiser, row map[string]any) any { return a.campus(textOf(row, column)) }
}

func campusKeyOf(column string) rule {
	return func(a *Anonymiser, row map[string]any) any { return text.Key(a.campus(textOf(row, column))) }
}

func title(a *Anonymiser, row map[string]any) any { return a.title(textOf(row, "name")) }

func titleKey(a *Anonymiser, row map[string]any) any {
	return book.TitleKey(a.title(textOf(row, "name")))
}

func authors(a *Anonymiser, row map[string]any) any {
	if textOf(row, "authors") == "" {
		return ""
	}
	return a.title(textOf(row, "authors"))
}

func email(a *Anonymiser, _ map[string]any) any { return a.email() }

// password gives one to everybody who is not deleted, also to those who sign in elsewhere.
func password(a *Anonymiser, row map[string]any) any {
	if row["email"] == nil {
		return ""
	}
	return a.password
}

func nameKey(a *Anonymiser, _ map[string]any) any {
	return user.Profile{FirstName: "Person", LastName: fmt.Sprint(a.people)}.NameKey()
}

// digits keeps the target of an entry of the audit log if it is an id.
func digits(_ *Anonymiser, row map[string]any) any {
	if target := textOf(row, "target"); strings.Trim(target, "0123456789") == "" {
		return target
	}
	return ""
}

// anonymised has the tables of an anonymised archive with all of their columns. The rows of other tables are left
// out: see leftOut.
var anonymised = map[string]map[string]rule{
	"users": {
		"id": asIs, "email": email, "password_hash": password, "role": asIs, "lang": asIs, "verified": asIs, "epoch": asIs,
		"created_at": asIs, "deleted_at": asIs, "display_name": empty, "metadata": empty, "suspended_at": asIs, "delete_at": asIs,
		"first_name": person, "last_name": number, "name_key": nameKey, "university": campusOf("university"),
		"campus_mailbox": constant("campus_mailbox", "Box"), "payment_username": constant("payment_username", "person"),
		"campus_store": asIs, "admin_by": empty, "admin_campus": campusOf("admin_campus"), "break_glass": asIs,
		"external_id": empty, "given_name": empty, "family_name": empty, "directory_inactive": asIs,
	},
	"audit_entries":   {"id": asIs, "at": asIs, "actor": asIs, "action": asIs, "target": digits, "ip": empty, "detail": empty},
	"market_currency": columns("id code"),
	"books": {
		"id": asIs, "seller_id": asIs, "buyer_id": asIs, "status": asIs, "name": title, "course": courseOf("course"), "edition": asIs,
		"price": asIs, "condition": asIs, "available_at": asIs, "comments": empty, "isbn": asIs, "university": campusOf("university"),
		"created_at": asIs, "listed_at": asIs, "held": asIs, "title_key": titleKey, "course_key": courseKeyOf("course"),
		"university_key": campusKeyOf("university"), "authors": authors,
	},
	"requests": {
		"id": asIs, "owner_id": asIs, "name": title, "course": courseOf("course"), "isbn": asIs, "edition": asIs, "max_price": asIs,
		"status": asIs, "filled_by": asIs, "created_at": asIs, "authors": authors,
	},
	"matches": columns("id book_id request_id owner_id reason holds created_at"),
	"carts":   columns("owner_id book_id added_at price"),
	"offers": {
		"id": asIs, "book_id": asIs, "buyer_id": asIs, "seller_id": asIs, "price": asIs, "text": empty, "state": asIs,
		"created_at": asIs, "answered_at": asIs, "valid_until": asIs,
	},
	"orders": with(columns(`id book_id waited buyer_id seller_id price fee status created_at verified_at delivered_at cancelled_at
		verified_by delivered_by cancelled_by handover handed_over_at settlement reminded_at isbn`), map[string]rule{
		"name": title, "name_key": titleKey, "course": courseOf("course"), "course_key": courseKeyOf("course"), "reason": empty,
		"university": campusOf("university"), "university_key": campusKeyOf("university"),
	}),
	"ledger":  columns("order_id movement account amount at"),
	"ratings": with(columns("order_id by_id of_id as_described created_at"), map[string]rule{"text": empty}),
	"meetings": with(columns("id order_id by_id meet_at state created_at accepted_at"), map[string]rule{
		"university": campusOf("university"), "name": constant("name", "A place"), "directions": empty, "hours": empty,
	}),
	"handover_tries": columns("order_id n tried_at"),
	"conversations": columns(`id book_id seller_id seller_sent seller_unread seller_mailed_at seller_gone buyer_id buyer_sent buyer_unread
		buyer_mailed_at buyer_gone last_id created_at last_at`),
	"messages": with(columns("conversation_id n id from_id created_at read_at"), map[string]rule{"text": constant("text", "…")}),
	"blocks":   columns("id by_id of_id created_at"),
	"notifications": with(columns("user_id id kind book_id order_id created_at read_at conversation_id"), map[string]rule{
		"message": constant("message", "…"),
	}),
	"notification_counters": columns("user_id last_id"),
	"reports": with(columns(`id reporter_id target_kind target_id about_id reason hid created_at action resolved_by resolved_at
		order_id`), map[string]rule{
		"text": empty, "note": empty, "university": campusOf("university"),
		"seen": func(*Anonymiser, map[string]any) any { return "{}" },
	}),
	"quota_uses": columns("user_id quota since count"),
}

// leftOut are the tables of which an anonymised archive has no rows: sessions, codes and whatever else lets somebody
// in, mails, events and deliveries, what was typed for a search or for a campus, and what the program makes anew.
var leftOut = strings.Fields(`signups challenges ceremonies invitations sessions known_devices known_clients limits second_factors
	remembered_devices email_changes passkeys identities clients client_grants client_signins service_signins personal_tokens
	resources machines machine_sessions used_assertions user_labels used_keys
	outbox outbox_events mail_optouts mailbox jobs
	photos report_photos imports import_lines import_rows saved_searches saved_search_keys saved_search_hits request_keys course_lists courses course_choices
	desks meeting_places mail_digests idempotency_keys push_subscriptions push_quiet_hours
	inbox_deliveries inbox_payloads inbox_jobs inbox_attempts inbox_hashes inbox_rules inbox_rule_states inbox_alerts inbox_rule_attempts`)

// columns are columns that stay as they are.
func columns(names string) map[string]rule {
	rules := map[string]rule{}
	for name := range strings.FieldsSeq(names) {
		rules[name] = asIs
	}
	return rules
}

// with adds rules.
func with(rules, more map[string]rule) map[string]rule {
	maps.Copy(rules, more)
	return rules
}
