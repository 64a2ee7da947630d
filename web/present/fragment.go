package present

import (
	"bytes"
	"context"
	"fmt"

	"github.com/a-h/templ"

	"fusebox/views/text"
)

// Fragment is one change of a page that is open. HTML is plain text for op text.
type Fragment struct {
	Op     string `json:"op"`
	Target string `json:"target"`
	HTML   string `json:"html"`
}

// The ops of fragments.
const (
	// OpAppend puts the element at the end of the element with id Target. Where
	// an element with the same id stands in the document already, it takes its
	// place instead: a fragment that comes twice changes nothing.
	OpAppend = "append"
	// OpReplace puts the element in the place of the one with id Target, and
	// does nothing where there is none.
	OpReplace = "replace"
	// OpRemove removes the element with id Target.
	OpRemove = "remove"
	// opJoin removes the element with id Target where there is one with the id in HTML,
	// which then takes over what it shows.
	opJoin = "join"
	// opSay has the text told to screen readers.
	opSay = "say"
	// opText adds text at the end of the element with id Target.
	opText = "text"
)

// The elements of the chat page that fragments are aimed at.
const (
	transcriptID = "transcript"
	fusesID      = "fuses"
	runStateID   = "run-state"
	// liveID is the region that screen readers read out.
	liveID = "live"
)

// outgoing are the fragments of what an event changes, where a page is open.
type outgoing struct {
	tr   *text.Printer
	live bool
	out  []Fragment
}

func (o *outgoing) append(target string, c templ.Component) { o.send(OpAppend, target, c) }

func (o *outgoing) replace(target string, c templ.Component) { o.send(OpReplace, target, c) }

func (o *outgoing) send(op, target string, c templ.Component) {
	if o.live {
		o.put(op, target, RenderToString(o.tr, c))
	}
}

func (o *outgoing) remove(target string) { o.put(OpRemove, target, "") }

func (o *outgoing) addText(target, text string) {
	if text != "" {
		o.put(opText, target, text)
	}
}

func (o *outgoing) put(op, target, html string) {
	if o.live {
		o.out = append(o.out, Fragment{Op: op, Target: target, HTML: html})
	}
}

func (o *outgoing) say(text string) {
	if text != "" {
		o.out = append(o.out, Fragment{Op: opSay, Target: liveID, HTML: text})
	}
}

// RenderToString renders a part in the reader's language. Parts hold plain
// values and the buffer cannot fail, so an error is a bug in the part.
func RenderToString(tr *text.Printer, c templ.Component) string {
	var b bytes.Buffer
	if err := c.Render(tr.Context(context.Background()), &b); err != nil {
		panic(fmt.Sprintf("render part: %v", err))
	}
	return b.String()
}
