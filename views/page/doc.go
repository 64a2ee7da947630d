// Package page holds the whole pages: the frame from views/layout, filled with
// parts from views/part and with what only one page has. Props are plain
// values; it imports nothing of ours but the two packages named and the texts.
package page

import "fusebox/views/layout"

// wide gives pages with tables more room.
func wide(l layout.Props) layout.Props {
	l.Wide = true
	return l
}
