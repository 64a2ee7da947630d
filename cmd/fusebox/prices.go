package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"fusebox/agent"
	"fusebox/agent/prices"
	"fusebox/agent/service"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
)

const pricesUsage = "usage: fusebox prices list, or fusebox prices import FILE [--all] [--source TEXT]"

func (p process) prices(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] != "list" && args[0] != "import" {
		return usagef("%s", pricesUsage)
	}
	var all bool
	var source string
	var files []string // those before the general flags
	verb, args := args[0], args[1:]
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		files, args = append(files, args[0]), args[1:]
	}
	rest, err := split(args, map[string]func(string){"source": once(&source)}, map[string]*bool{"all": &all})
	if err != nil {
		return err
	}
	c, rest, err := p.loadConfig("prices "+verb, rest)
	if err != nil {
		return err
	}
	files = append(files, rest...)
	if verb == "list" && len(files) > 0 || verb == "import" && len(files) != 1 {
		return usagef("%s", pricesUsage)
	}
	db, err := p.openStore(ctx, c)
	if err != nil {
		return err
	}
	out, err := offline(ctx, c, db)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	book := newBook(c, db, out.Names)
	if err = book.Load(ctx); err == nil {
		if verb == "list" {
			err = p.listPrices(ctx, c, db, book, out)
		} else {
			err = p.importPrices(agent.WithViewer(ctx, shell()), c, db, book, files[0], source, all, out)
		}
	}
	return errors.Join(shown(err), db.Close())
}

// listPrices prints what the models that are offered cost today, and the rows of admins.
func (p process) listPrices(ctx context.Context, c config.Config, db *store.Store, book *prices.Book, out *outlet) error {
	models := offeredModels(c, out)
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "MODEL\tINPUT\tCACHED\tOUTPUT\tREASONING\tSINCE\tSOURCE") // Flush reports what goes wrong
	for _, id := range models {
		row, known := book.Find(id, time.Now())
		row.Known = known
		printPrice(w, id, row)
	}
	rows, err := db.Prices(ctx)
	if err != nil {
		return err
	}
	for _, r := range rows {
		printPrice(w, "set: "+r.Name(), r)
	}
	return w.Flush()
}

func printPrice(w *tabwriter.Writer, id string, r agent.PriceRow) {
	since := "-"
	if !r.ValidFrom.IsZero() {
		since = r.ValidFrom.Format(time.DateOnly)
	}
	if !r.Known {
		_, _ = fmt.Fprintf(w, "%s\tno price\t\t\t\t%s\t%s\n", id, since, r.Source)
		return
	}
	usd := func(micros int64) string { return "$" + strconv.FormatFloat(float64(micros)/1e6, 'f', -1, 64) }
	_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", id, usd(r.Input), usd(r.Cached), usd(r.Output), usd(cmp.Or(r.Reasoning, r.Output)), since, r.Source)
}

// importPrices writes what a file changes and prints the counts.
func (p process) importPrices(ctx context.Context, c config.Config, db *store.Store, book *prices.Book, file, source string, all bool, out *outlet) error {
	f, err := os.Open(file) //nolint:gosec // whoever works at the command line names the file
	if err != nil {
		return fmt.Errorf("open the list of prices: %w", err)
	}
	defer func() { _ = f.Close() }()
	list, err := book.ReadList(f)
	if err != nil {
		return err
	}
	var offered []string
	if !all {
		offered = offeredModels(c, out)
	}
	source = cmp.Or(source, filepath.Base(file))
	plan := book.Plan(list, offered, time.Now())
	commands := &service.Prices{Store: db, Book: book, Clock: agent.SystemClock{}}
	if err := commands.Import(ctx, agent.ViewerIn(ctx), plan, source); err != nil {
		return err
	}
	counts := plan.Counts()
	_, err = fmt.Fprintf(p.stdout, "%d new, %d changed, %d the same, %d skipped\n", counts.New, counts.Changed, counts.Same, counts.Skipped)
	return err
}

// offline is what a server would reach models through now, which is asked for its models.
// The demo model does not run beside a command: it is the one endpoint that is not asked.
func offline(ctx context.Context, c config.Config, db *store.Store) (*outlet, error) {
	all, err := db.Connections(ctx)
	if err != nil {
		return nil, err
	}
	if c.UsesDemo() && !anyConnected(all) {
		return &outlet{config: c, onlyDemo: true}, nil
	}
	return newOutlet(ctx, c, slog.New(slog.DiscardHandler), all, nil)
}

func offeredModels(c config.Config, out *outlet) []string {
	if id := out.DemoModel(); id != "" {
		return []string{id}
	}
	var ids []string
	for _, m := range out.router.Models() {
		ids = append(ids, m.ID)
	}
	if c.DefaultModel != "" && !slices.Contains(ids, c.DefaultModel) {
		ids = append(ids, c.DefaultModel)
	}
	return ids
}

// newBook makes the book of prices: admins' rows out of the database, then the
// configuration's, then those that are part of the program.
func newBook(c config.Config, db *store.Store, endpoints func() []string) *prices.Book {
	o := prices.Options{Read: db.Prices, Endpoints: endpoints}
	for model, price := range c.Prices {
		source := "configuration"
		if price == config.DemoPrice {
			source = prices.DemoSource
		}
		o.Config = append(o.Config, agent.PriceRow{Model: model, Known: true, Price: price, Source: source})
	}
	return prices.New(o)
}
