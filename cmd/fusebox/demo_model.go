package main

import (
	"context"
	"flag"
	"io"
	"log/slog"

	"fusebox/agent/demo"
)

func (p process) demoModel(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("demo-model", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	addr := fs.String("addr", "127.0.0.1:9090", "listen address")
	strict := fs.String("strict", "", "family to serve every model as")
	breakEvery := fs.Int("break-every", 0, "break off every n-th streamed answer with calls")
	if err := fs.Parse(args); err != nil || fs.NArg() > 0 {
		return usagef("usage: fusebox demo-model [-addr HOST:PORT] [--strict FAMILY] [--break-every N]")
	}
	if *breakEvery < 0 {
		return usagef("flag --break-every: %d is not allowed; allowed: a number from 0", *breakEvery)
	}
	log := slog.New(slog.NewTextHandler(p.stderr, nil))
	o := demo.Options{
		Delay: demo.DefaultDelay, BreakEvery: *breakEvery,
		OnRefused: func(reason string) { log.Warn("refused a request", "reason", reason) },
	}
	if *strict != "" {
		family, err := demo.ParseFamily(*strict)
		if err != nil {
			return usagef("flag --strict: %v", err)
		}
		o.Strict = family
	}
	server, err := demo.Listen(ctx, *addr, o)
	if err != nil {
		return err
	}
	log.Info("listening", "url", server.BaseURL())
	return server.Wait()
}
