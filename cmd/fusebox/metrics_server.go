package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
)

// serveMetrics answers GET /metrics, and nothing else, on a listener of its own until
// ctx ends. Whoever reaches it needs no token: the address says who that can be.
func serveMetrics(ctx context.Context, addr string, metrics http.Handler, log *slog.Logger) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen for metrics (telemetry.metrics_addr): %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }() // it ends with ctx
	log.Info("serving metrics", "url", "http://"+reachable(listener.Addr())+"/metrics")
	return nil
}
