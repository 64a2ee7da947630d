package reading

import (
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"

	"golang.org/x/net/html/charset"

	"fusebox/agent"
)

// What the XML of an archive may cost.
const (
	maxDepth  = 1000     // elements in one another
	maxMarkup = 4 << 20  // bytes of one token: a tag, or text between two
	maxPart   = 16 << 20 // bytes of a part that is read into memory
	cellCost  = 16       // bytes that a cell of a table counts for beside its text
)

var errTooDeep = errors.New("reading: elements are nested too deeply")

// tokens are those of an XML part, each of a bounded size.
type tokens struct {
	raw    *xml.Decoder
	source io.Reader
	left   int // bytes that may still be read for the current token
	depth  int
}

// newTokens reads XML of any size in bounded memory.
func newTokens(source io.Reader) *xml.Decoder {
	t := &tokens{source: source}
	t.raw = xml.NewDecoder(t)
	t.raw.CharsetReader = charset.NewReaderLabel
	return xml.NewTokenDecoder(t)
}

// Read implements the io.Reader interface for the decoder of raw tokens.
func (t *tokens) Read(p []byte) (int, error) {
	if t.left <= 0 {
		return 0, failure(agent.ProblemTooLarge)
	}
	n, err := t.source.Read(p)
	t.left -= n
	return n, err
}

func (t *tokens) Token() (xml.Token, error) {
	t.left = maxMarkup
	token, err := t.raw.RawToken()
	switch token.(type) {
	case xml.StartElement:
		t.depth++
	case xml.EndElement:
		t.depth--
	}
	if t.depth > maxDepth {
		return nil, errTooDeep
	}
	return token, err
}

// decode reads a small XML part into a value.
func (a *archive) decode(name string, v any) error {
	source, err := a.open(name)
	if err != nil {
		return err
	}
	return newTokens(io.LimitReader(source, maxPart)).Decode(v)
}

// step is how a walk goes on.
type step int

const (
	stepInto step = iota
	stepOver      // the element is left out
	stepOut       // the walk ends
)

// visitor is told what an XML part has, in its order. Elements are known by their local names.
type visitor interface {
	enter(parent string, e xml.StartElement) step
	leave(name string)
	text(text []byte)
}

// walk reads an XML part from its beginning to its end.
func (a *archive) walk(name string, v visitor) error {
	source, err := a.open(name)
	if err != nil {
		return err
	}
	d := newTokens(source)
	path, over := []string{""}, 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			parent := path[len(path)-1]
			path = append(path, t.Name.Local)
			if over > 0 {
				continue
			}
			switch v.enter(parent, t) {
			case stepInto:
			case stepOver:
				over = len(path)
			case stepOut:
				return nil
			}
		case xml.EndElement:
			if over == 0 {
				v.leave(t.Name.Local)
			} else if over == len(path) {
				over = 0
			}
			path = path[:len(path)-1]
		case xml.CharData:
			if over == 0 {
				v.text(t)
			}
		}
	}
}

// alternatives are the open elements that say the same in several ways: whether one was taken.
type alternatives []bool

// enter leaves out all but the first way.
func (a *alternatives) enter(name string) step {
	switch name {
	case "AlternateContent":
		*a = append(*a, false)
	case "Choice", "Fallback":
		last := len(*a) - 1
		if last < 0 || (*a)[last] {
			return stepOver
		}
		(*a)[last] = true
	}
	return stepInto
}

func (a *alternatives) leave(name string) {
	if name == "AlternateContent" {
		*a = (*a)[:len(*a)-1]
	}
}

// attrOf is the value of an attribute with this local name.
func attrOf(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// relationID is the attribute that refers to another part.
func relationID(attributes []xml.Attr) string {
	for _, a := range attributes {
		if strings.HasSuffix(a.Name.Space, "/relationships") {
			return a.Value
		}
	}
	return ""
}

// relation leads from one part of an office file to another.
type relation struct {
	ID     string `xml:"Id,attr"`
	Type   string `xml:"Type,attr"`
	Target string `xml:"Target,attr"`
	Mode   string `xml:"TargetMode,attr"`
}

// is reports whether a relation is of a kind such as "footnotes".
func (r relation) is(kind string) bool { return path.Base(r.Type) == kind }

// relations are those of a part, or of the whole file for "". Targets are names of entries.
func (a *archive) relations(part string) ([]relation, error) {
	name := path.Join(path.Dir(part), "_rels", path.Base(part)+".rels")
	if part == "" {
		name = "_rels/.rels"
	}
	if !a.has(name) {
		return nil, nil
	}
	var list struct {
		Relations []relation `xml:"Relationship"`
	}
	if err := a.decode(name, &list); err != nil {
		return nil, err
	}
	var inside []relation
	for _, r := range list.Relations {
		if r.Mode == "External" {
			continue
		}
		if !strings.HasPrefix(r.Target, "/") {
			r.Target = path.Join(path.Dir(part), r.Target)
		}
		inside = append(inside, r)
	}
	return inside, nil
}

// targets are the parts that the IDs of relations lead to.
func targets(relations []relation) map[string]string {
	parts := map[string]string{}
	for _, r := range relations {
		parts[r.ID] = r.Target
	}
	return parts
}

// mainPart reads the title of an office file from its properties, and finds the name of its main part, which usually is
// the given one.
func (a *archive) mainPart(b *builder, usual string) (string, error) {
	const properties = "docProps/core.xml"
	if a.has(properties) {
		var core struct {
			Title string `xml:"title"`
		}
		err := a.decode(properties, &core)
		b.reading.Title = core.Title
		if err := spare(b, err, agent.ReadingNote{Name: properties}); err != nil {
			return "", err
		}
	}
	relations, err := a.relations("")
	if err != nil {
		return "", err
	}
	for _, r := range relations {
		if r.is("officeDocument") && a.has(r.Target) {
			return r.Target, nil
		}
	}
	return usual, nil
}
