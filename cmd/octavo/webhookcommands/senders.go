package webhookcommands

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/webhook"
)

type webhooksSenders struct {
	terminal.AsJSON `embed:""`
}

// senderRow describes a sender in JSON.
type senderRow struct {
	Name      string `json:"name"`
	Event     string `json:"event"`
	ID        string `json:"id"`
	Signature string `json:"signature"`
	Signed    string `json:"signed"`
	Bodies    string `json:"bodies"`
}

func (s webhooksSenders) Run(c terminal.Console) error {
	var all []senderRow
	for _, sender := range webhook.Senders() {
		all = append(all, senderRow(sender.Describe()))
	}
	return s.Print(c.Out, all, func(out io.Writer) error {
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(table, "SENDER\tEVENT\tID\tSIGNATURE\tSIGNED\tBODY")
		for _, d := range all {
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", d.Name, d.Event, d.ID, d.Signature, d.Signed, d.Bodies)
		}
		return table.Flush()
	})
}
