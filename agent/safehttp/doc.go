// Package safehttp makes the one HTTP client for everything that leaves the
// process: model endpoints, the weather service, tools that fetch pages.
//
// Every connection is checked at the last moment, on the address that the name
// resolved to, so neither another notation of an address, nor a name that
// points inside, nor a redirect reaches a private network. Only origins the
// admin configured are exempt, each one exactly.
//
// It imports the standard library only.
package safehttp
