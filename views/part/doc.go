// Package part holds the building blocks of the pages: everything that can also
// arrive over the websocket. Each part has props of its own, made of plain
// and domain values, so that its golden file is its whole contract. Of ours it
// imports the texts and agent.
package part
