// Package telemetry tells machines how the instance is doing: metrics in the format
// of Prometheus, and a trace of each run by OTLP.
//
// What is counted comes from committed events, so nothing is counted that did
// not happen; what is spent is read from the ledger when metrics are requested, so that
// metrics and bill agree. Neither ever delays a commit. Names of people,
// texts, arguments and results are in none of them.
//
// It imports only agent and the libraries of the two formats.
package telemetry
