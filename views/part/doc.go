// Package part holds the building blocks of the pages: everything that can also
// arrive over the websocket. Each part has props of its own, made of plain
// values, and imports nothing of ours but the texts, so that its golden file is
// its whole contract.
package part
