package reading

import (
	"encoding/xml"
	"errors"
)

// contents reads the table of contents of a book, of EPUB 3 or 2: what it calls each chapter.
type contents struct {
	book   *book
	name   string
	href   string // of the link that is open
	title  []byte
	inside bool
}

// readContents reads a table of contents. A book is read without one that is broken.
func (r *book) readContents(name string) error {
	err := r.walk(name, &contents{book: r, name: name})
	if _, whole := errors.AsType[failure](err); whole {
		return err
	}
	return nil
}

func (c *contents) enter(parent string, e xml.StartElement) step {
	switch e.Name.Local {
	case "a":
		c.href, c.title, c.inside = attrOf(e, "href"), nil, true
	case "text":
		c.title, c.inside = nil, parent == "navLabel"
	case "content":
		c.add(attrOf(e, "src"))
	}
	return stepInto
}

func (c *contents) leave(name string) {
	switch name {
	case "a":
		c.add(c.href)
		c.inside = false
	case "text":
		c.inside = false
	}
}

func (c *contents) text(text []byte) {
	if c.inside && len(c.title) < maxHeading {
		c.title = append(c.title, text...)
	}
}

// add takes the title of a chapter: the first that leads to it.
func (c *contents) add(href string) {
	chapter := entryOf(c.name, href)
	if c.book.has(chapter) && c.book.titles[chapter] == "" {
		c.book.titles[chapter] = string(c.title)
	}
}
