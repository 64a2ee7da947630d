package text

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

// files are the languages: the name of a file is the tag of its language.
//
//go:embed *.toml
var files embed.FS

// entry is one message as its file has it. Forms are by plural category, with
// "other" always among them; Arg is the position of the argument that counts.
type entry struct {
	Forms map[string]string
	Arg   int
}

// library is all languages, English first.
type library struct {
	tags     []language.Tag
	matcher  language.Matcher
	printers []*Printer
}

// loaded is the library, built on first use.
var loaded = sync.OnceValue(func() *library {
	lib := &library{tags: []language.Tag{language.English}}
	names, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the program, and a test loads them
	}
	for _, file := range names {
		if tag := language.MustParse(strings.TrimSuffix(file.Name(), path.Ext(file.Name()))); tag != language.English {
			lib.tags = append(lib.tags, tag)
		}
	}
	lib.matcher = language.NewMatcher(lib.tags)
	for _, tag := range lib.tags {
		lib.printers = append(lib.printers, &Printer{tag: tag, texts: sync.OnceValue(func() *texts {
			said, err := load(tag)
			if err != nil {
				panic(err)
			}
			return said
		})})
	}
	return lib
})

// texts is all that is said in one language. They are read once somebody reads them: most
// requests of programs show no text.
type texts struct {
	message  *message.Printer
	recorded recorded
}

func load(tag language.Tag) (*texts, error) {
	builder := catalog.NewBuilder(catalog.Fallback(tag))
	entries, err := read(tag.String() + ".toml")
	if err != nil {
		return nil, err
	}
	for key, e := range entries {
		if err := builder.Set(tag, key, e.message()); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", tag, key, err)
		}
	}
	said, err := readRecorded(tag)
	return &texts{message.NewPrinter(tag, message.Catalog(builder)), said}, err
}

// message is the entry as the catalogue of x/text takes it.
func (e entry) message() catalog.Message {
	if len(e.Forms) == 1 {
		return catalog.String(e.Forms["other"])
	}
	var cases []any
	for _, form := range []string{"zero", "one", "two", "few", "many", "other"} {
		if text, ok := e.Forms[form]; ok {
			cases = append(cases, form, text)
		}
	}
	return plural.Selectf(e.Arg, "%d", cases...)
}

// read flattens a file's tables to keys such as "inbox.empty.head".
func read(file string) (map[string]entry, error) {
	raw, err := files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var rooms map[string]any
	if err := toml.Unmarshal(raw, &rooms); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	entries := map[string]entry{}
	return entries, flatten(entries, "", rooms)
}

func flatten(into map[string]entry, prefix string, table map[string]any) error {
	for name, value := range table {
		key := prefix + name
		switch v := value.(type) {
		case string:
			into[key] = entry{Forms: map[string]string{"other": v}}
		case map[string]any:
			if _, forms := v["other"].(string); !forms {
				if err := flatten(into, key+".", v); err != nil {
					return err
				}
				continue
			}
			e, err := pluralEntry(v)
			if err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			into[key] = e
		default:
			return fmt.Errorf("%s: is a %T, not a text", key, value)
		}
	}
	return nil
}

// pluralEntry reads { one = "…", other = "…", arg = 2 }; arg is 1 if left out.
func pluralEntry(table map[string]any) (entry, error) {
	e := entry{Forms: map[string]string{}, Arg: 1}
	for name, value := range table {
		switch v := value.(type) {
		case string:
			e.Forms[name] = v
		case int64:
			if name != "arg" {
				return e, fmt.Errorf("unknown number %s", name)
			}
			e.Arg = int(v)
		default:
			return e, fmt.Errorf("%s is a %T", name, value)
		}
	}
	return e, nil
}
