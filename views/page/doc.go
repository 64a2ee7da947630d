// Package page holds the whole pages: the frame from views/layout, filled with
// parts from views/part and with what only one page has. Pages that only show take
// domain values, others props. Of ours it imports the two packages named, the texts,
// and agent.
package page

import "fusebox/views/layout"

// wide gives pages with tables more room.
func wide(l layout.Props) layout.Props {
	l.Wide = true
	return l
}
