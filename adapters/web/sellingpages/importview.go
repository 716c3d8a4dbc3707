package sellingpages

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/user"
)

type importView struct {
	web.Options
	lang user.Lang

	Error   string
	Reasons []web.FieldReason // of the refusal
	Last    *selling.ImportProgress
	ID      string // of Last

	Unassigned bool           // columns of the file are missing
	Columns    []importColumn // what the columns mean
	Orders     []web.Option   // of the dates
	Order      string         // the chosen one
	Labels     []string       // of the columns of Rows
	Rows       []wrongRow     // lines with errors
	More       int            // further ones

	PerDay, PerDayOfStore int // lines that a person and a campus store may import
}

// importColumn is a column of the file, for people to say what it means.
type importColumn struct {
	Name, Header, Sample string
	Value                string // the field
	Options              []web.Option
}

// wrongRow is a line with errors. Whole is what is wrong with it as a whole: then it has no cells,
// but maybe its text.
type wrongRow struct {
	Line        int
	Whole, Text string
	Cells       []importCell
}

// importCell is a cell, with what is wrong with it.
type importCell struct{ Name, Label, Value, Why string }

// maxEditable is how long a cell without an error may be to be edited: the form has those of many lines.
const maxEditable = 300

// Editable reports whether the cell can be corrected: the error of a line may be that its cells are in other columns.
func (c importCell) Editable() bool { return c.Why != "" || len(c.Value) <= maxEditable }

// Lines reports whether the cell has several lines, which an input would join.
func (c importCell) Lines() bool { return strings.Contains(c.Value, "\n") }

// Checked, Running, Done and Cancelled report the state of the last file.
func (v importView) Checked() bool   { return v.in(selling.ImportChecked) }
func (v importView) Running() bool   { return v.in(selling.ImportRunning) }
func (v importView) Done() bool      { return v.in(selling.ImportDone) }
func (v importView) Cancelled() bool { return v.in(selling.ImportCancelled) }

func (v importView) in(s selling.ImportState) bool { return v.Last != nil && v.Last.State == s }

// New is how many lines can be listed whose books the viewer does not have.
func (v importView) New() int { return v.Last.Accepted - len(v.Last.Known) }

// Has reports whether the viewer has the book of a line.
func (v importView) Has(line int) bool { return slices.Contains(v.Last.Known, line) }

// separators are what stands between cells, in words.
var separators = map[string]string{",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}

// Separator says what stands between the cells of the file.
func (v importView) Separator() string { return separators[v.Last.File.Separator] }

// DatesFirst says which number of its dates comes first; "": unknown.
func (v importView) DatesFirst() string {
	return map[pasted.DateOrder]string{
		pasted.DayFirst: "In its dates, the day comes first.", pasted.MonthFirst: "In its dates, the month comes first.",
		pasted.YearFirst: "In its dates, the year comes first.",
	}[v.Last.File.Dates]
}

// Totals lists the lines that are left out as sums.
func (v importView) Totals() string {
	lines := make([]string, len(v.Last.File.Totals))
	for i, line := range v.Last.File.Totals {
		lines[i] = strconv.Itoa(line)
	}
	return strings.Join(lines, ", ")
}

// fieldLabels are the labels of the fields on the form of a single book.
var fieldLabels = func() map[string]string {
	labels := map[string]string{}
	for _, f := range listingForm().Form.Fields {
		labels[f.Name] = f.Label
	}
	return labels
}()

// dateOrders are the values of the field for the order of dates.
var dateOrders = []web.Option{
	{Value: "", Label: "As the file shows"}, {Value: "day", Label: "Day, month, year"}, {Value: "month", Label: "Month, day, year"},
	{Value: "year", Label: "Year, month, day"},
}

func dateOrderOf(value string) pasted.DateOrder {
	return map[string]pasted.DateOrder{"day": pasted.DayFirst, "month": pasted.MonthFirst, "year": pasted.YearFirst}[value]
}

// likelyDates is the order of dates in the country of a browser, which its first language names.
func likelyDates(acceptLanguage string) pasted.DateOrder {
	first, _, _ := strings.Cut(acceptLanguage, ",")
	first, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(first)), ";")
	language, region, _ := strings.Cut(first, "-")
	switch {
	case region == "us" || region == "ph":
		return pasted.MonthFirst
	case language == "en" && (region == "" || region == "ca"), first == "", first == "*":
		return pasted.AnyOrder
	case slices.Contains([]string{"ja", "zh", "ko", "hu", "lt"}, language):
		return pasted.YearFirst
	}
	return pasted.DayFirst
}

// maxColumns bounds the form.
const maxColumns = 256

func columnsOf(typed url.Values) []string {
	var fields []string
	for i := 0; i < maxColumns && typed.Has("c"+strconv.Itoa(i)); i++ {
		fields = append(fields, typed.Get("c"+strconv.Itoa(i)))
	}
	return fields
}

// add adds the last file, with what was typed about its columns.
func (v *importView) add(last selling.ImportProgress, typed url.Values) {
	v.Last, v.ID, v.More = &last, id.Format(last.ID), last.Wrong-len(last.Rejected)
	v.Unassigned = v.Checked() && last.File.Missing() != nil
	if v.Unassigned {
		v.More = 0
	}
	if v.Checked() {
		v.addColumns(typed)
	}
	for _, field := range last.File.Fields {
		if field != "" {
			v.Labels = append(v.Labels, fieldLabels[field])
		}
	}
	for _, row := range last.Rejected {
		v.Rows = append(v.Rows, v.wrongRow(row))
	}
}

// chosen calls fields as the options do from which people choose; a header has the names of the API.
func (v *importView) chosen() {
	for i, r := range v.Reasons {
		v.Reasons[i].Field = web.Translate(v.lang, fieldLabels[r.Field])
	}
}

func (v *importView) addColumns(typed url.Values) {
	options := []web.Option{{Value: "", Label: "Nothing"}}
	for _, field := range selling.BookColumns {
		options = append(options, web.Option{Value: field, Label: fieldLabels[field]})
	}
	f := v.Last.File
	for i, header := range f.Header {
		c := importColumn{Name: "c" + strconv.Itoa(i), Header: header, Value: f.Fields[i], Options: options}
		if typed.Has(c.Name) {
			c.Value = typed.Get(c.Name)
		}
		var samples []string
		for _, row := range v.Last.Rows {
			if i < len(row.Cells) && strings.TrimSpace(row.Cells[i]) != "" {
				samples = append(samples, shorten(row.Cells[i]))
			}
		}
		c.Sample = strings.Join(samples, " · ")
		v.Columns = append(v.Columns, c)
	}
	v.Orders = dateOrders
	for _, o := range dateOrders {
		if dateOrderOf(o.Value) == f.Dates {
			v.Order = o.Value
		}
	}
}

// shorten cuts a sample of a cell.
func shorten(cell string) string {
	const most = 40
	if utf8.RuneCountInString(cell) <= most {
		return cell
	}
	return string([]rune(cell)[:most]) + "…"
}

// maxShownText is how many characters of a line without cells are shown.
const maxShownText = 200

func firstOf(text string) string {
	if letters := []rune(text); len(letters) > maxShownText {
		return string(letters[:maxShownText]) + "…"
	}
	return text
}

func (v *importView) wrongRow(row selling.RejectedRow) wrongRow {
	out := wrongRow{Line: row.Line, Whole: row.Fields[market.RecordField], Text: firstOf(row.Text)}
	if out.Whole != "" {
		return out
	}
	for i, field := range v.Last.File.Fields {
		if field == "" {
			continue
		}
		cell := importCell{Name: strconv.Itoa(row.Line) + "." + field, Label: fieldLabels[field], Why: row.Fields[field]}
		if i < len(row.Cells) {
			cell.Value = strings.TrimSpace(row.Cells[i])
		}
		out.Cells = append(out.Cells, cell)
	}
	return out
}

// whyOf says in one cell what is wrong with a line.
func whyOf(lang user.Lang, row selling.RejectedRow) string {
	var all []string
	for _, reason := range web.NewRejectedLine(row.RejectedLine).Reasons {
		why := web.Reason(lang, reason.Why)
		if reason.Field != "" {
			why = web.Translate(lang, fieldLabels[reason.Field]) + web.Translate(lang, ":") + " " + why
		}
		all = append(all, why)
	}
	return strings.Join(all, " ")
}
